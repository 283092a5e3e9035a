"""Hundreds of tiny kernels from a Python loop, which one foreach operator does at once."""
import torch
from common import fixed

values = [torch.zeros(64, device="cuda") for _ in range(400)]
for step in range(200):
    if fixed("launch.dispatch"):
        torch._foreach_mul_(values, 0.9)
    else:
        for value in values:
            value.mul_(0.9)  # <- launch.dispatch
    total = values[0].sum()
torch.cuda.synchronize()
