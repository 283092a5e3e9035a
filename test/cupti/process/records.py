"""Trace files as Python records, by way of list_records; and the device work of a trace against the simulated log."""
import collections
import glob
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, "test/simgpu"))
import truth  # noqa: E402

SIM_LIBRARIES = ["libgpustall_simcore.so", "libcudart.so.13", "libcuda.so.1", "libcublasLt.so.13", "libcublas.so.13",
                 "libcudnn.so.9", "libcupti.so.13"]
KINDS = {"Kernel": "kernel", "Memcpy": "memcpy", "Memset": "memset", "GraphRun": "graph"}
LOSSES = ["NoChunk", "RecordTooLong", "DictionaryFull", "CuptiDropped", "ActivityInvalid", "ActivityUnknown",
          "StackUnreadable", "HookReentered", "UnlinkedWaker", "AfterExit", "SampleMissed"]
NOTICES = ["CuptiRefused", "CuptiYielded", "CuptiResumed", "CuptiMissing", "PythonStacksOff", "NativeStacksOff",
           "SamplerOff", "CapReached", "DiskFull", "WindowOpened", "WindowClosed", "ForkedChild", "ClockStepped", "Other", "FileCut"]
LAST_FIELDS = {"String": " text=", "Notice": " text=", "Code": " line_table=", "NativeStack": " pcs="}

Work = collections.namedtuple("Work", "start end kind correlation device stream")


class Trace:
    """All records of the trace files of a directory, by name."""

    def __init__(self, tool, directory):
        self.files = sorted(glob.glob(f"{directory}/**/*.gst", recursive=True))
        text = subprocess.run([tool, *self.files], capture_output=True, check=True).stdout.decode(errors="replace")
        self.records = collections.defaultdict(list)
        for line in text.splitlines():
            name = line.split(" ", 1)[0]
            line, _, tail = line.partition(LAST_FIELDS.get(name, "\0"))
            fields = {k: int(v) for k, v in (word.split("=") for word in line.split()[1:])}
            self.records[name].append(fields | ({"text": tail} if tail else {}))
        self.strings = {r["id"]: r.get("text", "") for r in self.records["String"]}
        self.queues = {r["id"]: r for r in self.records["Queue"]}

    def __getitem__(self, name):
        return self.records[name]

    def work(self):
        """Device work, sorted; times are CUPTI's own."""
        out = []
        for name, kind in KINDS.items():
            for r in self.records[name]:
                queue = self.queues[r["queue"]]
                out.append(Work(r["start"], r["start"] + r["duration"], kind, r["correlation"], queue["device"],
                                queue["stream"]))
        return sorted(out)

    def losses(self):
        return {LOSSES[r["kind"]]: r["count"] for r in self.records["Lost"]}

    def notices(self):
        return [(NOTICES[r["kind"]], r["code"], r.get("text", "")) for r in self.records["Notice"]]


def true_work(log):
    return sorted(Work(a.start, a.end, a.kind, a.correlation, a.device, a.stream)
                  for a in truth.read(log) if a.is_device_work)


def busy(work):
    """ns of device time that some work covers, by device."""
    devices = collections.defaultdict(list)
    for w in work:
        devices[w.device].append((w.start, w.end))
    return {device: truth.length(truth.union(spans)) for device, spans in sorted(devices.items())}


def compare(true, seen):
    """What is wrong with `seen`; its clock may differ from the log's by one constant."""
    if not true or len(true) != len(seen):
        return [f"{len(seen)} records, {len(true)} pieces of work in the log"]
    shift = seen[0].start - true[0].start
    moved = [w._replace(start=w.start - shift, end=w.end - shift) for w in seen]
    faults = []
    wrong = [pair for pair in zip(true, moved) if pair[0] != pair[1]]
    if wrong:
        faults.append(f"{len(wrong)} of {len(true)} records differ from the log, first {wrong[0]}")
    if busy(true) != busy(seen):
        faults.append(f"busy {busy(seen)} in the trace, {busy(true)} in the log")
    return faults


def links(trace):
    """Every piece of work has exactly one call with its correlation id."""
    calls = collections.Counter(r["correlation"] for r in trace["Api"] if r["correlation"] != 0)
    faults = [f"correlation {c} belongs to {n} calls" for c, n in calls.items() if n != 1][:3]
    alone = [w for w in trace.work() if w.correlation not in calls]
    return faults + ([f"{len(alone)} pieces of work without a call, first {alone[0]}"] if alone else [])


def environment(build, out, sim="", preload=True, libraries=SIM_LIBRARIES, **more):
    """For a child on the simulated device, recorded into `out`."""
    lib = os.path.join(os.path.abspath(build), "lib")
    preloads = [f"{lib}/libgpustall.so"] if preload else []
    preloads += [name if os.path.isabs(name) else f"{lib}/gpustall/simgpu/{name}" for name in libraries]
    settings = f"log={out}/device.log" + ("," + sim if sim else "")
    return dict(os.environ, LD_PRELOAD=":".join(preloads), GPUSTALL_SIM=settings, GPUSTALL_OUT=out, **more)


def missing(build):
    """Why the tests on torch cannot run here, or an empty string."""
    import importlib.util
    absent = [n for n in SIM_LIBRARIES if not os.path.exists(f"{build}/lib/gpustall/simgpu/{n}")]
    if absent:
        return "no " + ", ".join(absent)
    return "" if importlib.util.find_spec("torch") else f"no torch in {sys.executable}"
