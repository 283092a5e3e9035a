#!/usr/bin/env python3
"""Runs one smoke script on the simulated device and holds its ground-truth log against the invariants.

    check.py LIB_DIR SCRIPT [SETTINGS]     exit 0: passed, 1: failed, 77: skipped, there is no torch to run
The interpreter is that of GPUSTALL_PYTHON, else .venv of the source tree; for api.py, which needs no torch, this one.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
sys.path.insert(0, str(HERE.parent))
import truth  # noqa: E402

SKIPPED = 77


def find_python(script):
    if script == "api.py":
        return sys.executable
    python = os.environ.get("GPUSTALL_PYTHON") or str(ROOT / ".venv/bin/python")
    ready = os.path.exists(python) and subprocess.call(
        [python, "-c", "import importlib.util as u, sys; sys.exit(u.find_spec('torch') is None)"]) == 0
    if not ready:
        print(f"SKIPPED: no Python with torch at {python}; run scripts/setup", file=sys.stderr)
        sys.exit(SKIPPED)
    return python


def check_logs(folder):
    logs = sorted(pathlib.Path(folder).glob("*.simlog"))
    work, sentences = 0, []
    for log in logs:
        activities = truth.read(log)
        work += sum(activity.is_device_work for activity in activities)
        sentences += truth.broken_invariants(activities)
        for device, found in truth.devices(activities).items():
            print(f"{log.name} device {device}: {found.as_dict()}")
    if work == 0:
        sentences.append("no device work was logged")
    return sentences


def main():
    library, script = sys.argv[1:3]
    settings = sys.argv[3] if len(sys.argv) > 3 else ""
    python = find_python(script)
    with tempfile.TemporaryDirectory(prefix="simgpu-") as folder:
        environment = dict(os.environ, GPUSTALL_SIM=f"{settings},log={folder}/%p.simlog")
        command = [str(HERE.parent / "run.sh"), "-l", library, python, str(HERE / script)]
        code = subprocess.call(command, env=environment)
        if code != 0:
            print(f"FAILED: {script} ended with {code}")
            return 1
        sentences = check_logs(folder)
    for sentence in sentences[:20]:
        print("BROKEN:", sentence)
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main())
