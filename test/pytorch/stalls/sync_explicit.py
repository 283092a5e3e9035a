"""Synchronises every step."""
# expect: sync.explicit
import sys
import time

import torch

FIXED = "--fixed" in sys.argv
STEPS = 40

model = torch.nn.Sequential(*[torch.nn.Linear(4096, 4096) for _ in range(6)]).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batch = torch.zeros(512, 4096, device="cuda")


def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


for step in range(STEPS):
    out = model(batch).relu()
    if not FIXED:
        torch.cuda.synchronize()  # <- stall
    spin(0.008)
torch.cuda.synchronize()
