"""Sleeps in the loop."""
import time

import torch
from common import batch, fixed, mlp

model, x = mlp(3), batch()
for step in range(40):
    out = model(x).mean().item()  # the queue is empty from here: what follows is not hidden
    if not fixed("host.sleep"):
        time.sleep(0.006)  # <- host.sleep
torch.cuda.synchronize()
