"""Starts a process in each step, as a monitor does."""
import subprocess

import torch
from common import batch, fixed, mlp

model, x = mlp(1), batch()
for step in range(40):
    out = model(x)
    if not fixed("host.process"):
        subprocess.run(["sleep", "0.01"])  # <- host.process
torch.cuda.synchronize()
