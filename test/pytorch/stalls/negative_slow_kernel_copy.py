"""Long kernels before a blocking copy: it waits for them, and costs next to nothing itself."""
import torch
from common import batch, fixed, mlp

model, x = mlp(8), batch()
row = torch.zeros(4096)
for step in range(20):
    for _ in range(6):
        out = model(x)
    if not fixed("sync.upload"):
        x[0].copy_(row)  # <- sync.upload
torch.cuda.synchronize()
