"""Reads the loss in each step and saves every eighth."""
import os
import tempfile

import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
state = {"weights": [torch.zeros(1 << 20) for _ in range(16)]}
folder = tempfile.TemporaryDirectory(dir=os.environ.get("GPUSTALL_DISK", "/var/tmp"))
for step in range(48):
    loss = model(x).mean()
    if not fixed("sync.item"):
        value = loss.item()  # <- sync.item
    spin(0.006)
    if step % 8 == 7 and not fixed("host.checkpoint"):
        torch.save(state, f"{folder.name}/checkpoint.pt")  # <- host.checkpoint
torch.cuda.synchronize()
folder.cleanup()
