"""Looks for NaN in each gradient: the wait is on the autograd thread."""
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()


def check(gradient):
    if not fixed("sync.item"):
        if gradient.isnan().any():  # <- sync.item
            raise FloatingPointError
    spin(0.001)


for parameter in model.parameters():
    parameter.register_hook(check)
for step in range(40):
    loss = model(x).square().mean()
    model.zero_grad()
    loss.backward()
torch.cuda.synchronize()
