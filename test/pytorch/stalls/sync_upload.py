"""Builds a CUDA tensor from a Python list every step."""
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
weights = torch.tensor([0.1] * 16, device="cuda")
for step in range(40):
    out = model(x)
    if not fixed("sync.upload"):
        weights = torch.tensor([0.1] * 16, device="cuda")  # <- sync.upload
    spin(0.008)
    scaled = out[:, :16] * weights
torch.cuda.synchronize()
