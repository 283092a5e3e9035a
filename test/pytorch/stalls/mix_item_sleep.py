"""Reads the loss, and then sleeps."""
import time

import torch
from common import batch, fixed, mlp

model, x = mlp(), batch()
for step in range(40):
    loss = model(x).mean()
    if not fixed("sync.item"):
        value = loss.item()  # <- sync.item
    if not fixed("host.sleep"):
        time.sleep(0.010)  # <- host.sleep
torch.cuda.synchronize()
