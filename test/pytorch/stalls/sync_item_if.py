"""Tests a tensor in an if: the host must know it."""
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
for step in range(40):
    out = model(x).mean()
    if not fixed("sync.item"):
        if out > 1e6:  # <- sync.item
            raise SystemExit("diverged")
    spin(0.006)
torch.cuda.synchronize()
