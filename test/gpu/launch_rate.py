"""A tight loop of tiny kernels: prints the 10th percentile of nanoseconds per launch over blocks of 200."""
import statistics
import time

import torch

value = torch.zeros(64, device="cuda")
for _ in range(2000):
    value.mul_(1.0)
torch.cuda.synchronize()
blocks = []
for _ in range(60):
    start = time.perf_counter_ns()
    for _ in range(200):
        value.mul_(1.0)
    blocks.append((time.perf_counter_ns() - start) / 200)
    torch.cuda.synchronize()
print(statistics.quantiles(blocks, n=10)[0])
