"""torch.unique every step."""
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
labels = torch.zeros(512, dtype=torch.long, device="cuda")
for step in range(40):
    out = model(x)
    if not fixed("sync.nonzero"):
        classes = torch.unique(labels)  # <- sync.nonzero
    spin(0.006)
torch.cuda.synchronize()
