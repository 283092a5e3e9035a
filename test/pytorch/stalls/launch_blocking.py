"""CUDA_LAUNCH_BLOCKING left on."""
# expect: launch.blocking
import os
import sys

if not any(a.startswith("--fixed") for a in sys.argv):
    os.environ["CUDA_LAUNCH_BLOCKING"] = "1"
import torch
from common import batch, mlp, spin

model, x = mlp(), batch()
for step in range(40):
    out = model(x)
    spin(0.006)
torch.cuda.synchronize()
