"""Prints a CUDA tensor every step."""
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
for step in range(40):
    out = model(x).mean()
    if not fixed("sync.print"):
        print(out)  # <- sync.print
    spin(0.008)
torch.cuda.synchronize()
