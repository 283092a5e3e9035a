"""Keeps more memory with every step: each needs cudaMalloc."""
import torch
from common import fixed

values, kept = [torch.zeros(64, device="cuda") for _ in range(20)], []
for step in range(60):
    for value in values:
        value.mul_(0.9)
    for _ in range(8):
        rows = torch.empty(32 << 20, dtype=torch.uint8, device="cuda")  # <- alloc.growth
        if not fixed("alloc.growth"):
            kept.append(rows)
    total = values[0].sum()
torch.cuda.synchronize()
