"""What `gpustall report` takes of a long recording of a real script, from the command line: files to text, with all gains."""
import os
import pathlib
import subprocess
import tempfile

from record_sizes import sizes

STEPS = 2400  # 5 million events
TAGS = (16, 17, 19, 32, 33, 34, 35, 48)  # calls, waits, ranges; kernels, copies, fills, graphs; samples


def spent(command):
    """CPU seconds and peak bytes; time of the processor, not of the wall: other programs on the machine do not count."""
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{command[1]} failed with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def measure(gpustall, python, rounds=3):
    """ns per event of a report, its bytes of memory per event, ns per event of a page: the best of some rounds."""
    script = pathlib.Path(__file__).with_name("train_steps.py")
    with tempfile.TemporaryDirectory() as folder:
        trace, page = pathlib.Path(folder) / "trace", pathlib.Path(folder) / "page.html"
        record = [gpustall, "run", "--simulate", "-o", trace, "--", python, script, STEPS]
        subprocess.run(list(map(str, record)), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        counts = sizes(trace.glob("*.gst"))
        events = sum(counts[tag][0] for tag in TAGS if tag in counts)
        reports = [spent([gpustall, "report", trace]) for _ in range(rounds)]
        pages = [spent([gpustall, "report", trace, "--html", page, "-f"]) for _ in range(rounds)]
    per_event = 1e9 / events
    return min(r[0] for r in reports) * per_event, reports[0][1] / events, min(p[0] for p in pages) * per_event
