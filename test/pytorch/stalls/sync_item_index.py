"""A schedule on the CPU, indexed by a step counter on the GPU."""
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
schedule = torch.linspace(0, 1, 1000)
timestep = torch.zeros((), dtype=torch.long, device="cuda")
for step in range(40):
    out = model(x)
    if not fixed("sync.item"):
        scale = schedule[timestep]  # <- sync.item
    spin(0.006)
torch.cuda.synchronize()
