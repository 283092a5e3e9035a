"""Pins each batch by hand in the loop."""
import torch
from common import batch, fixed, mlp

model, x = mlp(), batch()
source, kept = torch.zeros(2048, 4096), []
pinned = source.pin_memory()
for step in range(40):
    if not fixed("copy.pin_call"):
        pinned = source.pin_memory()  # <- copy.pin_call
        kept.append(pinned)
    rows = pinned.to("cuda", non_blocking=True)
    out = model(x)
torch.cuda.synchronize()
