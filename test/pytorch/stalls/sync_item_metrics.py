"""Updates four metrics from the GPU in each step."""
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
totals = [0.0] * 4
for step in range(40):
    out = model(x)
    parts = [out.mean(), out.square().mean(), out.abs().mean(), out.amax()]
    if not fixed("sync.item"):
        for i, part in enumerate(parts):
            totals[i] += float(part)  # <- sync.item
    spin(0.007)
torch.cuda.synchronize()
