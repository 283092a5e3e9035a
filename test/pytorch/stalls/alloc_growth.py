"""Keeps more memory with every step: each needs cudaMalloc."""
import torch
from common import batch, fixed, mlp

model, x = mlp(2), batch()
kept = []
for step in range(60):
    out = model(x)
    for _ in range(4):
        rows = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")  # <- alloc.growth
        if not fixed("alloc.growth"):
            kept.append(rows)
torch.cuda.synchronize()
