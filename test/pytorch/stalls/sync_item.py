"""Reads the loss every step; the host then has work of its own while the GPU has none."""
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(40):
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if not fixed("sync.item"):
        value = loss.item()  # <- sync.item
    spin(0.008)
torch.cuda.synchronize()
