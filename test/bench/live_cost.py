"""What `run --live` takes from the program that it looks at: a launch loop that keeps its cores busy and writes as much as
a recording ever does, with and without it in turns.

Where no core is free the program loses the reader's share of a core, and whatever its own instructions take longer then
(caches, the file), which shows in its CPU time per launch. Neither depends on what else the machine does, as wall time would;
what remains is told as an interval."""
import ctypes
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

ADOPT_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER: the reader is nobody's child, so this process becomes its parent
T_95 = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 7: 2.45, 8: 2.36}  # Student's t by the number of pairs


def cpu_seconds(pid):
    with open(f"/proc/{pid}/schedstat") as file:
        return int(file.read().split()[0]) / 1e9


def children():
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return [int(pid) for pid in file.read().split()]


class Looks:
    """What the reader had used of a core when it last began to look: a look is paid for by the pause after it."""

    def __init__(self, program):
        self.program, self.share = program, 0.0

    def watch(self):
        start, used, at_work = time.monotonic(), 0.0, False
        while self.program.poll() is None:
            now = sum(cpu_seconds(pid) for pid in self.readers())
            if now > used and not at_work:
                self.share = used / (time.monotonic() - start)
            at_work, used = now > used, now
            time.sleep(0.2)

    def readers(self):
        return [pid for pid in children() if pid != self.program.pid]


def one_run(gpustall, python, folder, seconds, live):
    """(CPU nanoseconds per launch, the reader's share of a core while the program ran)."""
    options = ["--simulate", "-o", str(folder / "trace")] + ([f"--live={folder / 'live'}"] if live else [])
    loop = pathlib.Path(__file__).with_name("launch_loop.py")
    program = subprocess.Popen([str(gpustall), "run", *options, "--", str(python), str(loop), str(seconds)],
                               env={**os.environ, "GPUSTALL_SIM": "kernel_ns=1000"}, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    looks = Looks(program)
    looks.watch()
    per_launch = float(program.communicate()[0])
    for pid in looks.readers():
        os.waitpid(pid, 0)
    if live and not (folder / "live").read_text():
        raise SystemExit("--live said nothing")
    return per_launch, looks.share


def measure(gpustall, python, pairs=6, seconds=10):
    """(the reader's share of a core, how much more a launch takes, half the 95 % interval of that), all in percent."""
    ctypes.CDLL(None).prctl(ADOPT_ORPHANS, 1, 0, 0, 0)
    slower, shares = [], []
    for pair in range(pairs):
        taken = {}
        for live in ((True, False) if pair % 2 else (False, True)):
            with tempfile.TemporaryDirectory() as folder:
                taken[live], share = one_run(gpustall, python, pathlib.Path(folder), seconds, live)
                if live:
                    shares.append(share)
        slower.append(100 * (taken[True] / taken[False] - 1))
    half = T_95[pairs] * statistics.stdev(slower) / pairs ** 0.5
    return 100 * max(shares), statistics.mean(slower), half
