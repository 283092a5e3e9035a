"""Two streams that overlap, events that order them, elapsed times, host functions, the launch queue's limit."""
import ctypes
import time

import torch

first, second = torch.cuda.Stream(), torch.cuda.Stream()
a, b = torch.empty(4096, 4096, device="cuda"), torch.empty(4096, 4096, device="cuda")  # 10 ms a product
start, middle, end = (torch.cuda.Event(enable_timing=True) for _ in range(3))
torch.cuda.synchronize()
with torch.cuda.stream(first):
    start.record()
    for _ in range(20):
        a @ a
    middle.record()
with torch.cuda.stream(second):
    second.wait_event(middle)
    b @ b
    end.record()
assert not end.query()
end.synchronize()
assert end.query() and middle.query()
assert 0 < start.elapsed_time(middle) < start.elapsed_time(end)
torch.cuda.current_stream().wait_stream(first)
torch.cuda.current_stream().wait_stream(second)
torch.cuda.synchronize()

# A host function runs when the stream gets there, and a synchronisation waits for it.
called = []
HOST = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
function = HOST(lambda _: called.append(time.monotonic()))
runtime = ctypes.CDLL(None)
a @ a
assert runtime.cudaLaunchHostFunc(ctypes.c_void_p(0), function, None) == 0
torch.cuda.synchronize()
assert len(called) == 1

# Far more launches than the queue holds: the host is held up, nothing is lost.
small = torch.zeros(64, device="cuda")
for _ in range(1500):
    small.mul_(1.0)
torch.cuda.synchronize()

# Pinned copies on a side stream while the default stream computes.
pinned = torch.randn(1 << 20).pin_memory()
for _ in range(5):
    with torch.cuda.stream(first):
        pinned.cuda(non_blocking=True)
    a @ b
torch.cuda.synchronize()
torch.cuda.profiler.start()
torch.cuda.profiler.stop()
