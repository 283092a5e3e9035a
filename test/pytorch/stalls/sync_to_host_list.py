"""Turns predictions into a Python list every step."""
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
for step in range(40):
    predicted = model(x).argmax(dim=1)
    if not fixed("sync.to_host"):
        labels = predicted.tolist()  # <- sync.to_host
    spin(0.006)
torch.cuda.synchronize()
