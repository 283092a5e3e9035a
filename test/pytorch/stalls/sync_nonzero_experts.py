"""A loop over experts that asks which rows are theirs."""
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
choice = torch.zeros(512, dtype=torch.long, device="cuda")
for step in range(40):
    out = model(x)
    for expert in range(8):
        if not fixed("sync.nonzero"):
            rows = (choice == expert).nonzero()  # <- sync.nonzero
        spin(0.0008)
torch.cuda.synchronize()
