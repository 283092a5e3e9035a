#!/usr/bin/env python3
"""A program that uses torch.profiler: its profiles are right under gpustall, and gpustall says when it stood aside.

Runs the children of simgpu/smoke/profiler.py with libgpustall.so in front. What they export is compared with the
device's own log, as without gpustall; then gpustall's trace: every piece of work of the log is in it but those between
its notices that it yielded and that it resumed, and some work of after the last profile is there.

  test_profiler.py BUILD_DIR LIST_RECORDS [CASE...]
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import records  # noqa: E402

sys.path.insert(0, os.path.join(records.ROOT, "test/simgpu/smoke"))
import profiler  # noqa: E402


def child(case, out):
    import time
    import torch
    profiler.child(case, out)
    time.sleep(0.5)  # longer than gpustall takes to come back
    for _ in range(5):
        torch.ones(4, 4, device="cuda").add_(1).sum().item()


def run(build, case, out):
    env = records.environment(build, out)
    done = subprocess.run([sys.executable, __file__, "--child", case, out], env=env, timeout=300)
    if done.returncode != 0:
        return [f"the child ended with {done.returncode}"]
    faults = []
    with open(f"{out}/windows.json") as f:
        windows = json.load(f)
    for window in windows:
        found, count, busy_true, busy_seen = profiler.compare(window, f"{out}/device.log")
        print(f"{case}: {count} pieces of work, busy {busy_true} ns in the log, {busy_seen} ns in the profile")
        faults += found + ([] if count else ["no device work in the window"])
    return faults if windows else ["nothing was exported"]


def check_trace(trace, log):
    """Faults of gpustall's own trace, and a line about it."""
    faults = []
    true, seen = records.true_work(log), trace.work()
    if not seen:
        return ["no device work in gpustall's trace"], ""
    by_correlation = {(w.kind, w.correlation): w for w in true}
    shifts = {w.start - by_correlation[(w.kind, w.correlation)].start
              for w in seen if (w.kind, w.correlation) in by_correlation}
    names = [n[0] for n in trace.notices() if n[0].startswith("Cupti")]
    if "CuptiYielded" not in names or names[::2] != ["CuptiYielded"] * len(names[::2]) \
            or names[1::2] != ["CuptiResumed"] * len(names[1::2]):
        faults.append(f"notices {names}")
    known = {(w.kind, w.correlation) for w in seen}
    gaps = [w for w in true if (w.kind, w.correlation) not in known]
    # What is missing lies in stretches, one for each time that we stood aside.
    stretches = sum(1 for a, b in zip([None] + true, true)
                    if (b.kind, b.correlation) not in known and (a is None or (a.kind, a.correlation) in known))
    if stretches > names.count("CuptiYielded"):
        faults.append(f"{stretches} unobserved stretches, {names.count('CuptiYielded')} notices")
    if (true[-1].kind, true[-1].correlation) not in known:
        faults.append("the work after the last profile was not observed")
    if trace.losses().get("CuptiDropped") or trace["Damaged"]:
        faults.append(f"losses {trace.losses()}, damaged {len(trace['Damaged'])}")
    if max(shifts) - min(shifts) > 1000000:
        faults.append(f"device clock moved by {max(shifts) - min(shifts)} ns")
    return faults, f"{len(seen)} of {len(true)} pieces of work seen, {len(gaps)} during profiles, {names}"


def main():
    if sys.argv[1:2] == ["--child"]:
        return child(*sys.argv[2:])
    build, tool = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    reason = records.missing(build)
    if reason:
        print(f"SKIPPED: {reason}")
        return 77
    failed = 0
    for case in sys.argv[3:] or ["sessions", "workers", "schedule", "graph"]:
        with tempfile.TemporaryDirectory() as out:
            faults = run(build, case, out)
            more, line = check_trace(records.Trace(tool, out), f"{out}/device.log")
        print(f"{case}: {line}")
        for fault in faults + more:
            print(f"{case}: FAILED: {fault}")
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
