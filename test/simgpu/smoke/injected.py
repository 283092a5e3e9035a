#!/usr/bin/env python3
"""An injected CUPTI client on the simulated device: its records are the device's log, to the nanosecond.

Trains under the client of cupti/unit/injected_client.cpp (workers, a second stream, a CUDA graph), then compares every
record with the log: same work, same correlation ids, times apart by one constant (CLOCK_REALTIME against the device
clock), equal busy time; and every piece of work has a callback with its correlation id.

  injected.py BUILD_DIR CLIENT      exit 77 where torch or the stand-ins are missing
"""
import collections
import importlib.util
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import truth  # noqa: E402

LIBRARIES = ["libgpustall_simcore.so", "libcudart.so.13", "libcuda.so.1", "libcublasLt.so.13", "libcublas.so.13",
             "libcudnn.so.9", "libcupti.so.13"]
Work = collections.namedtuple("Work", "kind device stream correlation start end")


def train():
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    data = TensorDataset(torch.randn(640, 64), torch.zeros(640, dtype=torch.long))
    static = torch.zeros(32, 64, device="cuda")
    model(static)
    graph, side = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    with torch.no_grad(), torch.cuda.graph(graph):
        model(static)
    for x, y in DataLoader(data, batch_size=32, num_workers=2, pin_memory=True):
        with torch.cuda.stream(side):
            static.add_(1).mul_(2)
        loss = nn.functional.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()
        graph.replay()
    torch.cuda.synchronize()


def read_client(path):
    work, correlations, other = [], set(), []
    with open(path) as f:
        for line in f:
            kind, *numbers = line.split()
            if kind == "call":
                correlations.add(int(numbers[2]))
            elif kind in truth.DEVICE_WORK:
                work.append(Work(kind, *map(int, numbers)))
            elif line != "dropped 0\n":
                other.append(line.strip())
    return sorted(work, key=lambda w: w[3:]), correlations, other


def compare(log, client):
    true = sorted((Work(a.kind, a.device, a.stream, a.correlation, a.start, a.end)
                   for a in truth.read(log) if a.is_device_work), key=lambda w: w[3:])
    seen, correlations, faults = read_client(client)
    if not true or len(true) != len(seen):
        return faults + [f"{len(seen)} records, {len(true)} pieces of work in the log"]
    offset = seen[0].start - true[0].start
    shifted = [w._replace(start=w.start - offset, end=w.end - offset) for w in seen]
    wrong = [pair for pair in zip(true, shifted) if pair[0] != pair[1]]
    if wrong:
        faults.append(f"{len(wrong)} records differ from the log, first {wrong[0]}")
    busy = [truth.length(truth.union((w.start, w.end) for w in work)) for work in (true, seen)]
    if busy[0] != busy[1]:
        faults.append(f"busy {busy[1]} ns in the records, {busy[0]} in the log")
    silent = [w for w in true if w.correlation not in correlations]
    if silent:
        faults.append(f"{len(silent)} pieces of work without a callback, first {silent[0]}")
    kinds = collections.Counter(w.kind for w in true)
    print(f"injected: {dict(kinds)}, {len({w.stream for w in true})} streams, busy {busy[0]} ns in log and records")
    return faults


def main():
    if sys.argv[1:2] == ["--child"]:
        return train()
    directory = os.path.join(os.path.abspath(sys.argv[1]), "lib/gpustall/simgpu")
    absent = [name for name in LIBRARIES if not os.path.exists(f"{directory}/{name}")]
    if absent or importlib.util.find_spec("torch") is None:
        print(f"SKIPPED: {'no torch in ' + sys.executable if not absent else 'no ' + ', '.join(absent)}")
        return 77
    with tempfile.TemporaryDirectory() as out:
        env = dict(os.environ, LD_PRELOAD=":".join(f"{directory}/{name}" for name in LIBRARIES),
                   CUDA_INJECTION64_PATH=os.path.abspath(sys.argv[2]), SIMCUPTI_OUT=f"{out}/client.txt",
                   GPUSTALL_SIM=f"log={out}/device.log")
        done = subprocess.run([sys.executable, __file__, "--child"], env=env, timeout=300)
        faults = compare(f"{out}/device.log", f"{out}/client.txt") if done.returncode == 0 else [
            f"the child ended with {done.returncode}"]
    for fault in faults:
        print(f"injected: FAILED: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
