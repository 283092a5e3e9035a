"""Gives the cache back to the driver every step."""
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
for step in range(40):
    out = model(x)
    if not fixed("alloc.empty_cache"):
        torch.cuda.empty_cache()  # <- alloc.empty_cache
    spin(0.006)
torch.cuda.synchronize()
