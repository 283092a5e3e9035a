"""Sleeps in the loop."""
import time

import torch
from common import batch, fixed, mlp

model, x = mlp(1), batch()
for step in range(40):
    out = model(x)
    if not fixed("host.sleep"):
        time.sleep(0.006)  # <- host.sleep
torch.cuda.synchronize()
