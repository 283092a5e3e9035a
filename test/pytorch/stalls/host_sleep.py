"""Sleeps in the loop."""
# expect: host.sleep
import sys
import time

import torch

FIXED = "--fixed" in sys.argv
STEPS = 40

model = torch.nn.Sequential(*[torch.nn.Linear(4096, 4096) for _ in range(6)]).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batch = torch.zeros(512, 4096, device="cuda")

for step in range(STEPS):
    out = model(batch).relu()
    out.mean().item()  # the queue is empty from here: what follows is not hidden
    if not FIXED:
        time.sleep(0.010)  # <- stall
torch.cuda.synchronize()
