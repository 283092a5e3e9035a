"""A model for the GPU, a read of its result, then a launch-bound average over parameters."""
import torch
from common import batch, fixed, mlp

model, x = mlp(), batch()
averages = [torch.zeros(64, device="cuda") for _ in range(800)]
for step in range(40):
    loss = model(x).mean()
    if not fixed("sync.item"):
        value = loss.item()  # <- sync.item
    if fixed("launch.dispatch"):
        torch._foreach_mul_(averages, 0.9)
    else:
        for average in averages:
            average.mul_(0.9)  # <- launch.dispatch
torch.cuda.synchronize()
