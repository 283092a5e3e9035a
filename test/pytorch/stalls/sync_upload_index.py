"""Indexes a CUDA tensor with a Python list every step."""
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
index = torch.tensor([1, 5, 7], device="cuda")
for step in range(40):
    out = model(x)
    if fixed("sync.upload"):
        rows = out[index]
    else:
        rows = out[[1, 5, 7]]  # <- sync.upload
    spin(0.006)
torch.cuda.synchronize()
