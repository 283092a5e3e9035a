"""The sampler as it runs in the product: this process, a forked worker, a spawned one, the collector.

Run with the probe preloaded. Exit 1 when something is missing; says what was seen.
"""
import ctypes
import gc
import multiprocessing
import os
import sys
import threading
import time

probe = ctypes.CDLL(None)
for name in ("probe_sampler_stop", "probe_samples", "probe_state"):
    getattr(probe, name).restype = ctypes.c_char_p
zero = os.open("/dev/zero", os.O_RDONLY)


def burn_in_worker(stop):
    while not stop.is_set():
        sum(range(1000))


def sleep_in_worker(stop):
    while not stop.is_set():
        time.sleep(0.01)


# Phases last in CPU time where they need the CPU: the machine may be busy with other tests.
def phase(cpu_seconds, wall_limit=15):
    cpu, wall = time.process_time(), time.time()
    while time.process_time() - cpu < cpu_seconds and time.time() - wall < wall_limit:
        yield


def burn_here():
    for _ in phase(0.4):
        sum(range(1000))


def wait_here():
    for _ in range(30):
        time.sleep(0.05)


def collect_here():
    keep = [[i] for i in range(300000)]
    for _ in phase(0.4):
        gc.collect()
    return keep


def holder_of_the_gil():
    os.read(zero, 4242)
    for _ in phase(0.4):
        sum(range(100000))


def main():
    os.read(zero, 4242)
    state = probe.probe_state().decode()
    if state != "ready":
        print("Python stacks are not ready:", state)
        return 1
    probe.probe_sampler_start(1, 200)
    begin = time.time()
    workers = []
    for method, target in (("fork", burn_in_worker), ("fork", sleep_in_worker), ("spawn", burn_in_worker)):
        context = multiprocessing.get_context(method)
        stop = context.Event()
        worker = context.Process(target=target, args=(stop,))
        worker.start()
        workers.append((worker, stop))
        probe.probe_child_started(worker.pid)
    burn_here(), wait_here(), collect_here()
    thread = threading.Thread(target=holder_of_the_gil)
    thread.start()
    while thread.is_alive():  # asks for the GIL, and sleeps most of the time
        time.sleep(0.005)
    for worker, stop in workers:
        stop.set()
        worker.join()
    pids = [worker.pid for worker, _ in workers]
    cpu = int(probe.probe_sampler_stop().split()[5])
    wall = time.time() - begin
    rows = [row.split() for row in probe.probe_samples().decode().splitlines()]
    notes = [row for row in rows if row[0] in ("loss", "notice")]
    samples = [row for row in rows if row[0] not in ("loss", "notice")]
    own = [row for row in samples if row[0] == "0"]
    seen = lambda rows, name: sum(1 for row in rows if row[6].split(".")[-1] == name)
    of = lambda pid: [row for row in samples if row[0] == str(pid)]
    results = {
        "burn_here running": sum(1 for r in own if r[6] in ("burn_here", "phase") and r[2] in "12"),  # or waiting for a CPU
        "wait_here sleeping": sum(1 for r in own if r[6] == "wait_here" and r[2] == "3"),
        "collection seen": sum(1 for r in own if r[6].startswith("collect_here") and int(r[3]) & 2),
        "holder of the GIL": sum(1 for r in own if r[6] == "holder_of_the_gil" and int(r[3]) & 1),
        "forked, busy": seen(of(pids[0]), "burn_in_worker"),
        "forked, asleep": seen(of(pids[1]), "sleep_in_worker"),
        "spawned, busy": seen(of(pids[2]), "burn_in_worker"),
    }
    share = 100 * cpu / 1e9 / wall
    print("%s: %d samples in %.1f s, %.2f %% of a core; %s %s" % (
        sys.version.split()[0], len(samples), wall, share, results, notes))
    missing = [what for what, count in results.items() if count < 2]
    if sys.version_info < (3, 9) and "collection seen" in missing:
        missing.remove("collection seen")  # its flag is not read there
    if missing:  # the share of a core is printed, not judged: a loaded machine changes it
        print("MISSING", missing)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
