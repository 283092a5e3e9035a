"""A boolean mask in each step, and a process every fifth."""
import subprocess

import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
for step in range(40):
    out = model(x)
    if not fixed("sync.nonzero"):
        picked = out[out[:, 0] > 0]  # <- sync.nonzero
    spin(0.006)
    if step % 5 == 4 and not fixed("host.process"):
        subprocess.run(["sleep", "0.03"])  # <- host.process
torch.cuda.synchronize()
