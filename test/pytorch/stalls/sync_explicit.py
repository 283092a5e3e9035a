"""Synchronises every step."""
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
for step in range(40):
    out = model(x).relu()
    if not fixed("sync.explicit"):
        torch.cuda.synchronize()  # <- sync.explicit
    spin(0.008)
torch.cuda.synchronize()
