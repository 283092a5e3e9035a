"""One scalar is read per parameter in the optimizer (its step counters are on the GPU)."""
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
counters = [torch.zeros((), device="cuda") for _ in model.parameters()]
for step in range(40):
    out = model(x)
    for counter in counters:
        if not fixed("sync.item"):
            count = counter.item()  # <- sync.item
        spin(0.0006)
torch.cuda.synchronize()
