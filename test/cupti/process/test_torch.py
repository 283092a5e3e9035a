#!/usr/bin/env python3
"""The unmodified PyTorch wheel on the simulated device, recorded: device work equal to the device's log.

Per case: busy time per device to the nanosecond, every piece of work with exactly one call, library launches as driver
calls, stacks on launches, NVTX ranges, the device's description.

  test_torch.py BUILD_DIR LIST_RECORDS [CASE...]
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import records  # noqa: E402

LAUNCHES = {1, 2, 3, 4, 5}  # calls.def
DRIVER_LAUNCHES = {4, 5}


# ---- in the child -----------------------------------------------------------------------------------------------
def step(model, optimizer, x):
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def child(case):
    import torch
    from torch import nn

    def trainer(device="cuda"):
        model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)).to(device)
        return model, torch.optim.AdamW(model.parameters())

    model, optimizer = trainer()
    if case == "train":
        for number in range(20):
            with torch.cuda.nvtx.range(f"step {number}"):
                step(model, optimizer, torch.randn(32, 64).cuda()).item()
    if case == "streams":
        side, event = torch.cuda.Stream(), torch.cuda.Event()
        for _ in range(20):
            x = torch.randn(32, 64).pin_memory()
            with torch.cuda.stream(side):
                y = x.cuda(non_blocking=True)
                event.record()
            torch.cuda.current_stream().wait_event(event)
            step(model, optimizer, y)
        torch.cuda.synchronize()
    if case == "graph":
        static = torch.zeros(32, 64, device="cuda")
        model(static)
        graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(graph):
            model(static)
        for _ in range(20):
            graph.replay()
            static.add_(1)
        torch.cuda.synchronize()
    if case == "devices":
        other = trainer("cuda:1")
        for _ in range(10):
            step(model, optimizer, torch.randn(32, 64, device="cuda"))
            step(*other, torch.randn(32, 64, device="cuda:1"))
        torch.cuda.synchronize(0)
        torch.cuda.synchronize(1)
    if case == "workers":
        from torch.utils.data import DataLoader, TensorDataset
        data = TensorDataset(torch.randn(640, 64))
        for (x,) in DataLoader(data, batch_size=32, num_workers=2, pin_memory=True):
            step(model, optimizer, x.cuda(non_blocking=True)).item()


# ---- in the parent ----------------------------------------------------------------------------------------------
def check(case, trace, log):
    true, seen = records.true_work(log), trace.work()
    faults = records.compare(true, seen) + records.links(trace)
    launches = [r for r in trace["Api"] if r["call"] in LAUNCHES]
    if case != "graph" and not any(r["call"] in DRIVER_LAUNCHES for r in launches):
        faults.append("no launch of a library")
    # Backward runs on a thread of its own, which has no Python frames.
    main = trace["Header"][0]["pid"]
    bare = [r for r in launches if r["tid"] == main and r["stack"] == 0]
    if bare:
        faults.append(f"{len(bare)} of {len(launches)} launches without a stack")
    streams = {w.stream for w in seen}
    if (len(streams) > 1) != (case in ("streams", "graph")):
        faults.append(f"streams {streams}")
    called = {r["correlation"]: r["stream"] for r in trace["Api"]}
    elsewhere = [w for w in seen if called[w.correlation] != w.stream]
    if elsewhere:
        faults.append(f"{len(elsewhere)} pieces of work on another stream than their call")
    if case == "graph" and not trace["GraphRun"]:
        faults.append("no graph runs")
    if case == "train":
        names = [trace.strings[r["name"]] for r in trace["Range"]]
        if [n for n in names if n.startswith("step")] != [f"step {i}" for i in range(20)]:
            faults.append(f"ranges {names}")
    devices = {r["ordinal"]: trace.strings[r["name"]] for r in trace["Device"]}
    if set(devices) != set(records.busy(true)) or not all(devices.values()):
        faults.append(f"devices {devices}")
    if not trace["Header"][0]["flags"] & 4:
        faults.append("the header does not say that the device is simulated")
    lost = {k: v for k, v in trace.losses().items() if k.startswith(("Cupti", "Activity", "HookRe"))}
    if lost or trace["Damaged"]:
        faults.append(f"losses {lost}")
    return faults, f"{len(seen)} pieces of work, {len(trace['Api'])} calls, busy {records.busy(seen)} ns"


def main():
    if sys.argv[1:2] == ["--child"]:
        return child(sys.argv[2])
    build, tool = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    reason = records.missing(build)
    if reason:
        print(f"SKIPPED: {reason}")
        return 77
    failed = 0
    for case in sys.argv[3:] or ["train", "streams", "graph", "devices", "workers"]:
        with tempfile.TemporaryDirectory() as out:
            env = records.environment(build, out, sim="devices=2" if case == "devices" else "")
            done = subprocess.run([sys.executable, __file__, "--child", case], env=env, timeout=300)
            faults, line = ([f"the child ended with {done.returncode}"], "") if done.returncode else \
                check(case, records.Trace(tool, out), f"{out}/device.log")
        print(f"{case}: {line}")
        for fault in faults:
            print(f"{case}: FAILED: {fault}")
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
