"""Hundreds of tiny kernels from a Python loop."""
# expect: launch.dispatch
import sys

import torch

FIXED = "--fixed" in sys.argv
STEPS = 300

values = [torch.zeros(64, device="cuda") for _ in range(400)]
for step in range(STEPS):
    if FIXED:
        torch._foreach_mul_(values, 0.9)
    else:
        for value in values:
            value.mul_(0.9)  # <- stall
    total = values[0].sum()
torch.cuda.synchronize()
