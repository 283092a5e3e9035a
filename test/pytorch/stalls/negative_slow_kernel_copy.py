"""A long kernel before a blocking copy: the copy waits for it, and costs nothing itself."""
import torch
from common import batch, fixed, mlp

model, x = mlp(8), batch()
row = torch.zeros(4096)
for step in range(40):
    out = model(x)
    if not fixed("sync.upload"):
        x[0].copy_(row)
torch.cuda.synchronize()
