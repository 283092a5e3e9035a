"""empty_cache() and synchronize() in one step."""
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
for step in range(40):
    out = model(x)
    if not fixed("alloc.empty_cache"):
        torch.cuda.empty_cache()  # <- alloc.empty_cache
    out = model(x)
    if not fixed("sync.explicit"):
        torch.cuda.synchronize()  # <- sync.explicit
    spin(0.006)
torch.cuda.synchronize()
