"""Gradient clipping that asks whether the norm is finite."""
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(40):
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=not fixed("sync.scaler"))  # <- sync.scaler
    spin(0.010)
    optimizer.step()
torch.cuda.synchronize()
