"""A control group with a CPU quota, where the machine lets us make one (root, cgroup v1 or v2)."""
import atexit
import os
import pathlib
import sys

CANNOT = 77  # exit status: not possible on this machine


def limit_to(share, period_us=50_000):
    """From here on this process may use `share` of one CPU."""
    root = pathlib.Path("/sys/fs/cgroup")
    v1 = (root / "cpu/cpu.cfs_quota_us").exists() or (root / "cpu").is_dir()
    group = (root / "cpu" if v1 else root) / f"gpustall-test-{os.getpid()}"
    quota = int(share * period_us)
    try:
        group.mkdir()
        atexit.register(leave, group)
        if v1:
            (group / "cpu.cfs_period_us").write_text(str(period_us))
            (group / "cpu.cfs_quota_us").write_text(str(quota))
            (group / "cpu.shares").write_text("65536")  # else what runs beside it takes more than the quota does
        else:
            (group / "cpu.max").write_text(f"{quota} {period_us}")
            (group / "cpu.weight").write_text("10000")
        (group / "cgroup.procs").write_text(str(os.getpid()))
    except OSError as error:
        print(f"no control group with a quota here: {error}", file=sys.stderr)
        sys.exit(CANNOT)


def leave(group):
    (group.parent / "cgroup.procs").write_text(str(os.getpid()))
    group.rmdir()
