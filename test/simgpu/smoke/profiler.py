#!/usr/bin/env python3
"""torch.profiler on the simulated device: does its exported trace tell the same as the device's own log?

For each case a child process trains under torch.profiler on the simulated device and exports Chrome JSON. Then, per
profiled window: the same number of kernels, copies and sets as the log, each of the logged length, the same busy time
(length of the union), every piece of work linked to its launch, operators and Python functions present.

  profiler.py BUILD_DIR [CASE...]      cases: plain sessions workers schedule graph; exit 77 where torch or the stand-ins are missing
"""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import truth  # noqa: E402

LIBRARIES = ["libgpustall_simcore.so", "libcudart.so.13", "libcuda.so.1", "libcublasLt.so.13", "libcublas.so.13",
             "libcudnn.so.9", "libcupti.so.13"]
GPU_CATEGORIES = {"kernel": "kernel", "gpu_memcpy": "memcpy", "gpu_memset": "memset"}
# Kineto carries times as TSC ticks and turns them into nanoseconds by its own straight line: each end of an interval
# is rounded twice.
ROUNDING_NS = 2


# ---- in the child -----------------------------------------------------------------------------------------------
def child(case, out):
    import time
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    windows = []

    def step(x, y):
        loss = nn.functional.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    def batches(count):
        if case == "workers":
            from torch.utils.data import DataLoader, TensorDataset
            data = TensorDataset(torch.randn(32 * count, 64), torch.zeros(32 * count, dtype=torch.long))
            return DataLoader(data, batch_size=32, num_workers=2, pin_memory=True)
        return [(torch.randn(32, 64), torch.zeros(32, dtype=torch.long)) for _ in range(count)]

    def profile(**kw):
        kinds = torch.profiler.ProfilerActivity
        return torch.profiler.profile(activities=[kinds.CPU, kinds.CUDA], with_stack=True, **kw)

    def export(p):
        path = f"{out}/trace{len(windows)}.json"
        p.export_chrome_trace(path)
        windows.append({"trace": path, "begin": begin, "end": time.monotonic_ns()})

    for x, y in batches(3):  # creates the context before the windows
        step(x, y)
    torch.cuda.synchronize()

    if case == "graph":
        static = torch.zeros(32, 64, device="cuda")
        model(static)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(graph):
            model(static)

    for _ in range(2 if case == "sessions" else 1):
        if case == "schedule":
            begin = 0
            plan = torch.profiler.schedule(wait=2, warmup=1, active=3, repeat=2)

            def ready(p):
                nonlocal begin
                export(p)
                begin = time.monotonic_ns()
            with profile(schedule=plan, on_trace_ready=ready) as p:
                for number, (x, y) in enumerate(batches(12)):
                    if number % 6 == 3:
                        begin = time.monotonic_ns()
                    step(x, y)
                    torch.cuda.synchronize()
                    p.step()  # the sixth exports
            continue
        begin = time.monotonic_ns()
        with profile() as p:
            for x, y in batches(10):
                step(x, y)
                if case == "graph":
                    graph.replay()
            torch.cuda.synchronize()
        export(p)
    with open(f"{out}/windows.json", "w") as f:
        json.dump(windows, f)


# ---- in the parent ----------------------------------------------------------------------------------------------
def logged_work(path, begin, end):
    """(kind, start, end) of the device work that the log has in a window; nodes of graphs, not their launches."""
    return [(a.kind, a.start, a.end) for a in truth.read(path)
            if a.kind in ("kernel", "memcpy", "memset") and begin <= a.start and a.end <= end]


def nanoseconds(event):
    # Microseconds with three decimals: exact in a double below 2**53 ns.
    start = round(event["ts"] * 1000)
    return start, start + round(event["dur"] * 1000)


def compare(window, log):
    with open(window["trace"]) as f:
        events = json.load(f)["traceEvents"]
    seen = [(GPU_CATEGORIES[e["cat"]], *nanoseconds(e)) for e in events
            if e.get("ph") == "X" and e.get("cat") in GPU_CATEGORIES]
    true = logged_work(log, window["begin"], window["end"])
    faults = []
    for kind in ("kernel", "memcpy", "memset"):
        a = sorted((s, e) for k, s, e in true if k == kind)
        b = sorted((s, e) for k, s, e in seen if k == kind)
        if len(a) != len(b):
            faults.append(f"{kind}: {len(b)} in the trace, {len(a)} in the log")
            continue
        wrong = [(x, y) for x, y in zip(a, b) if abs((x[1] - x[0]) - (y[1] - y[0])) > ROUNDING_NS]
        if wrong:
            faults.append(f"{kind}: {len(wrong)} of {len(a)} lengths differ, first {wrong[0]}")
    busy_true, busy_seen = (truth.length(truth.union(w[1:] for w in work)) for work in (true, seen))
    if abs(busy_true - busy_seen) > ROUNDING_NS * max(1, len(true)):
        faults.append(f"busy {busy_seen} ns in the trace, {busy_true} in the log")
    faults += links(events)
    return faults, len(true), busy_true, busy_seen


def links(events):
    launches = {e["args"].get("correlation") for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver")}
    work = [e for e in events if e.get("ph") == "X" and e.get("cat") in GPU_CATEGORIES]
    arrows = {e["id"] for e in events if e.get("cat") == "ac2g" and e.get("ph") == "f"}
    faults = []
    unlinked = [e["name"] for e in work if e["args"]["correlation"] not in launches]
    if unlinked:
        faults.append(f"{len(unlinked)} pieces of work without a launch, first {unlinked[0]}")
    unarrowed = [e["name"] for e in work if e["args"]["correlation"] not in arrows]
    if unarrowed:
        faults.append(f"{len(unarrowed)} pieces of work without an ac2g arrow, first {unarrowed[0]}")
    # The clock mapping holds: nothing starts before the call that launches it (a graph's call holds all its nodes).
    begun = {e["args"].get("correlation"): e["ts"] for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver")}
    early = [e["name"] for e in work if e["ts"] < begun.get(e["args"]["correlation"], 0)]
    if early:
        faults.append(f"{len(early)} pieces of work start before their launch, first {early[0]}")
    for category in ("cpu_op", "python_function"):
        if not any(e.get("cat") == category for e in events):
            faults.append(f"no {category} events")
    return faults


def run_case(case, directory):
    with tempfile.TemporaryDirectory() as out:
        log = f"{out}/device.log"
        env = dict(os.environ, LD_PRELOAD=":".join(f"{directory}/{name}" for name in LIBRARIES),
                   GPUSTALL_SIM=f"log={log}")
        done = subprocess.run([sys.executable, __file__, "--child", case, out], env=env, timeout=300)
        if done.returncode != 0:
            return [f"the child ended with {done.returncode}"]
        with open(f"{out}/windows.json") as f:
            windows = json.load(f)
        faults = [] if windows else ["nothing was exported"]
        for number, window in enumerate(windows):
            found, count, busy_true, busy_seen = compare(window, log)
            print(f"{case}[{number}]: {count} pieces of work, busy {busy_true} ns in the log, "
                  f"{busy_seen} ns in the trace ({busy_seen - busy_true:+d})")
            faults += found + ([] if count else ["no device work in the window"])
        return faults


def main():
    if sys.argv[1:2] == ["--child"]:
        return child(*sys.argv[2:])
    directory = os.path.join(os.path.abspath(sys.argv[1]), "lib/gpustall/simgpu")
    absent = [name for name in LIBRARIES if not os.path.exists(f"{directory}/{name}")]
    if absent or importlib.util.find_spec("torch") is None:
        print(f"SKIPPED: {'no torch in ' + sys.executable if not absent else 'no ' + ', '.join(absent)}")
        return 77
    failed = 0
    for case in sys.argv[2:] or ["sessions", "workers", "schedule", "graph"]:
        for fault in run_case(case, directory):
            print(f"{case}: FAILED: {fault}")
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
