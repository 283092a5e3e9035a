"""Logs every twentieth step."""
import torch
from common import batch, fixed, mlp

model, x = mlp(), batch()
for step in range(60):
    loss = model(x).mean()
    if step % 20 == 19 and not fixed("sync.item"):
        print(f"step {step}: {loss.item()}")
torch.cuda.synchronize()
