"""Launches tiny kernels for SECONDS, and prints nanoseconds of CPU time of its own per launch."""
import sys
import time

import torch

value = torch.zeros(64, device="cuda")


def block():
    for _ in range(200):
        value.mul_(1.0)
    torch.cuda.synchronize()


for _ in range(10):
    block()
count, start, used = 0, time.perf_counter_ns(), time.thread_time_ns()
while time.perf_counter_ns() - start < float(sys.argv[1]) * 1e9:
    block()
    count += 200
print((time.thread_time_ns() - used) / count)
