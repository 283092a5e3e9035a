"""Python work on the training thread after each launch-bound step."""
import torch
from common import fixed

values = [torch.zeros(64, device="cuda") for _ in range(20)]


def bookkeeping():
    total = 0
    for i in range(0 if fixed("host.python") else 100000): total += i % 7  # <- host.python
    return total


for step in range(80):
    for value in values:
        value.mul_(0.9)
    total = values[0].sum()
    bookkeeping()
torch.cuda.synchronize()
