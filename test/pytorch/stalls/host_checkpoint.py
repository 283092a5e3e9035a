"""Saves a checkpoint every fifth step."""
import os
import tempfile

import torch
from common import batch, fixed, mlp

model, x = mlp(1), batch()
state = {"weights": [torch.zeros(1 << 20) for _ in range(16)]}
folder = tempfile.TemporaryDirectory(dir=os.environ.get("GPUSTALL_DISK", "/var/tmp"))
for step in range(50):
    out = model(x)
    if step % 5 == 4 and not fixed("host.checkpoint"):
        torch.save(state, f"{folder.name}/checkpoint.pt")  # <- host.checkpoint
torch.cuda.synchronize()
folder.cleanup()
