"""Prints what the injected library costs: start-up of an inert program, and one hooked call.

Runs with and without injection alternate, and low percentiles are compared, so that a busy machine
moves both. Run by hand or by scripts/bench: ctest does not, since a busy machine would fail it.
"""
import os
import statistics
import subprocess
import sys
import time

from harness import LIBRARY, OURS, PYTHON

CALL_COST = os.environ["GPUSTALL_TEST_CALL_COST"]
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(OURS)}
INJECTED = dict(CLEAN, LD_PRELOAD=LIBRARY)


def start_up(command, rounds):
    """Microseconds from spawn to exit: (bare, injected), 10th percentiles of alternating runs."""
    taken = {False: [], True: []}
    for i in range(2 * rounds):
        inject = i % 2 == 1
        start = time.perf_counter()
        pid = os.posix_spawn(command[0], command, INJECTED if inject else CLEAN)
        os.waitpid(pid, 0)
        taken[inject].append((time.perf_counter() - start) * 1e6)
    return [statistics.quantiles(taken[inject], n=10)[0] for inject in (False, True)]


def call_costs(env, folder):
    out = subprocess.run([CALL_COST], env=env, capture_output=True, text=True, check=True, cwd=folder)
    return {name: float(ns) for name, ns in map(str.split, out.stdout.splitlines())}


def main(folder):
    for command, rounds in ((["/bin/true"], 400), ([PYTHON, "-S", "-c", "pass"], 60)):
        bare, injected = start_up(command, rounds)
        print(f"start-up of {os.path.basename(command[0]):8} {bare:8.0f} us bare  {injected:8.0f} us injected"
              f"  {injected - bare:+6.0f} us  (budget +200 us)")
    runs = [(call_costs(CLEAN, folder), call_costs(INJECTED, folder)) for _ in range(5)]
    for name in runs[0][0]:
        bare, injected = (min(run[i][name] for run in runs) for i in (0, 1))
        print(f"one {name:17} {bare:8.1f} ns bare  {injected:8.1f} ns injected  {injected - bare:+6.1f} ns")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "/tmp")
