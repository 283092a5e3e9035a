"""Python work on the training thread after each launch-bound step."""
# expect: host.python
import sys
import time

import torch

FIXED = "--fixed" in sys.argv
STEPS = 40

def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


values = [torch.zeros(64, device="cuda") for _ in range(20)]


def bookkeeping():
    total = 0
    for i in range(0 if FIXED else 300000):
        total += i % 7  # <- stall
    return total


for step in range(STEPS):
    for value in values:
        value.mul_(0.9)
    total = values[0].sum()
    bookkeeping()
torch.cuda.synchronize()
