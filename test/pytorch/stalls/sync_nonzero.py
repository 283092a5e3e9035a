"""A boolean mask whose size the host must know, once per step."""
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
for step in range(40):
    out = model(x).relu()
    mask = out[:, 0] > 0
    if fixed("sync.nonzero"):
        picked = out * mask[:, None]
    else:
        picked = out[mask]  # <- sync.nonzero
    spin(0.008)
torch.cuda.synchronize()
