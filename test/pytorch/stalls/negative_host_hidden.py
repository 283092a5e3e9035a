"""Python work that the queued work hides."""
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
for step in range(40):
    out = model(x)
    out = model(x)
    if not fixed("host.python"):
        spin(0.004)
torch.cuda.synchronize()
