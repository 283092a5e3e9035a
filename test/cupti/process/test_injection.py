#!/usr/bin/env python3
"""A CUDA program without Python and without a preload, recorded through CUDA_INJECTION64_PATH alone.

On the CUPTI stand-in of every version: the trace's device work is the device's own log to the nanosecond and every piece
of it has its call. Then with each fault that the stand-in can make: nothing is lost without being counted, what CUPTI
refuses is said, and the program never notices.

  test_injection.py BUILD_DIR LIST_RECORDS DEVICE_PROGRAM [CASE...]
"""
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import records  # noqa: E402

BUILD, TOOL, PROGRAM = (os.path.abspath(p) for p in sys.argv[1:4])
SIMGPU = f"{BUILD}/lib/gpustall/simgpu"
SONAMES = {"11.8": "libcupti.so.11.8", "12.4": "libcupti.so.12", "12.8": "libcupti.so.12", "13.0": "libcupti.so.13",
           "13.4": "libcupti.so.13"}


def run(out, cupti=f"{SIMGPU}/libcupti.so.13", rounds=100, end="then-exit", code=0, **env):
    env = dict(os.environ, CUDA_INJECTION64_PATH=f"{BUILD}/lib/libgpustall.so", GPUSTALL_OUT=out,
               GPUSTALL_SIM=f"log={out}/device.log", **env)
    begin = time.monotonic()
    done = subprocess.run([PROGRAM, SIMGPU, cupti, str(rounds), end], env=env, timeout=120)
    if done.returncode != code:
        raise AssertionError(f"the program ended with {done.returncode}")
    return records.Trace(TOOL, out), records.true_work(f"{out}/device.log"), time.monotonic() - begin


def complete(trace, true):
    faults = records.compare(true, trace.work()) + records.links(trace)
    return faults + ([f"losses {trace.losses()}"] if trace.losses() else [])


def version(out, number):
    path = f"{SIMGPU}/libcupti.so.13" if number == "13.0" else f"{SIMGPU}/versions/{number}/{SONAMES[number]}"
    return complete(*run(out, cupti=path)[:2])


def refused(out, settings, notice, code, text):
    trace, _, _ = run(out, GPUSTALL_SIM_CUPTI=settings)
    faults = [] if not trace.work() else ["device work in spite of the refusal"]
    said = trace.notices()
    if not any(n[0] == notice and n[1] == code and text in n[2] for n in said):
        faults.append(f"notices {said}")
    return faults


def accounted(out, settings, loss):
    """Each piece of work is in the trace or in one loss count."""
    trace, true, _ = run(out, GPUSTALL_SIM_CUPTI=settings)
    lost = trace.losses()
    seen = trace.work()
    faults = [f"losses {lost}"] if set(lost) != {loss} else []
    if len(seen) + lost.get(loss, 0) < len(true) or len(seen) >= len(true):
        faults.append(f"{len(seen)} records, {lost} lost, {len(true)} pieces of work")
    if trace["Damaged"]:
        faults.append("damaged records")
    return faults


def intact(out, settings):
    return complete(*run(out, GPUSTALL_SIM_CUPTI=settings)[:2])


def slow_flush(out):
    _, _, seconds = run(out, GPUSTALL_SIM_CUPTI="slow_flush_ms=1500")
    return [f"the program took {seconds:.1f} s"] if seconds > 10 else []


def killed(out):
    trace, true, _ = run(out, end="then-kill", code=-9)
    return records.compare(true, trace.work()) + records.links(trace)


def forked(out):
    trace, true, _ = run(out, end="then-fork")
    return records.compare(true, trace.work()) + ([f"files {trace.files}"] if len(trace.files) != 1 else [])


def beside_cudart(out):
    """The program brings no libcupti: the one beside its runtime is taken."""
    return complete(*run(out, cupti="none")[:2])


def without_cupti(out):
    trace, _, _ = run(out, cupti="none", GPUSTALL_CUPTI="0")
    said = [n[0] for n in trace.notices()]
    return [] if "CuptiMissing" in said else [f"notices {said}"]


CASES = {f"version-{v}": (version, v) for v in SONAMES} | {
    "refused-39": (refused, "subscribe=39", "CuptiRefused", 39, "another tool"),
    "refused-999": (refused, "subscribe=999", "CuptiRefused", 999, "driver"),
    "missing-entry": (refused, "missing=cuptiActivityEnable", "CuptiMissing", 0, "cuptiActivityEnable"),
    "optional-entries": (intact, "missing=cuptiActivityGetNumDroppedRecords:cuptiActivityFlushPeriod"
                                 ":cuptiGetStreamIdEx:cuptiActivitySetAttribute:cuptiFinalize"),
    "dropped": (accounted, "drop=3", "CuptiDropped"),
    "zero-times": (accounted, "zero=4", "ActivityInvalid"),
    "nonsense-times": (accounted, "garbage=5", "ActivityInvalid"),
    "late": (intact, "late=20"),
    "reversed": (intact, "shuffle"),
    "storm": (intact, "storm=2"),
    "slow-flush": (slow_flush,),
    "killed": (killed,),
    "forked": (forked,),
    "beside-cudart": (beside_cudart,),
    "without-cupti": (without_cupti,),
}


def main():
    failed = 0
    for name in sys.argv[4:] or CASES:
        function, *arguments = CASES[name]
        with tempfile.TemporaryDirectory() as out:
            try:
                faults = function(out, *arguments)
            except (AssertionError, subprocess.TimeoutExpired) as error:
                faults = [str(error)]
        print(f"{name}: " + ("ok" if not faults else "FAILED: " + "; ".join(faults)))
        failed += bool(faults)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
