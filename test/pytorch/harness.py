"""Records programs with gpustall on the simulated device and reads what comes out."""
import json
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(os.environ["GPUSTALL_SOURCE"])
GPUSTALL = os.environ["GPUSTALL_BIN"]
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
sys.path.insert(0, str(SOURCE / "test/simgpu"))
import truth  # noqa: E402


def environment(log=None, **settings):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GPUSTALL_", "CUDA_INJECTION", "NVTX_INJECTION"))}
    env["GPUSTALL_SIM"] = ",".join([f"log={log}"] * (log is not None) + [f"{k}={v}" for k, v in settings.items()])
    return env


def command(out, program, *arguments):
    path = program if os.sep in str(program) else PROGRAMS / f"{program}.py"
    return [GPUSTALL, "run", "--simulate", "-o", str(out), "--", sys.executable, str(path), *arguments]


def record(folder, program, *arguments, check=True, **settings):
    """(report as parsed JSON, device truth by ordinal per pid, the finished process)."""
    out, log = folder / "trace", folder / "%p.simlog"
    ran = subprocess.run(command(out, program, *arguments), env=environment(log, **settings), capture_output=True, text=True,
                         stdin=subprocess.DEVNULL, timeout=300)
    if check and ran.returncode != 0:
        raise AssertionError(f"exit {ran.returncode}\n{ran.stdout[-3000:]}\n{ran.stderr[-3000:]}")
    return report(out), read_truth(folder), ran


def report(out, *options):
    ran = subprocess.run([GPUSTALL, "report", str(out), "--json", *options], capture_output=True, text=True, timeout=120)
    if ran.returncode != 0:
        raise AssertionError(f"report: exit {ran.returncode}: {ran.stderr}")
    return json.loads(ran.stdout)


def read_truth(folder):
    """{(pid, device): DeviceTruth} from the device's own logs."""
    found = {}
    for path in folder.glob("*.simlog"):
        activities = list(truth.read(str(path)))
        problems = list(truth.broken_invariants(activities))
        if problems:
            raise AssertionError(f"the device's log contradicts itself: {problems[:3]}")
        for device, facts in truth.devices(activities).items():
            found[int(path.stem.split("-")[0]), device] = facts
    return found
