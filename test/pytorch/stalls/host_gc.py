"""Millions of live objects, and the collector runs through them."""
import gc

import torch
from common import batch, fixed, mlp

model, x = mlp(1), batch()
live = [[i] for i in range(1_000_000)]
gc.collect()
gc.disable()
for step in range(60):
    out = model(x)
    if not fixed("host.gc") and step % 2 == 0:
        gc.collect()  # <- host.gc
torch.cuda.synchronize()
