"""Gives the cache back to the driver every step."""
# expect: alloc.empty_cache
import sys

import torch

FIXED = "--fixed" in sys.argv
STEPS = 40

model = torch.nn.Sequential(*[torch.nn.Linear(4096, 4096) for _ in range(6)]).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batch = torch.zeros(512, 4096, device="cuda")

for step in range(STEPS):
    loss = model(batch).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if not FIXED:
        torch.cuda.empty_cache()  # <- stall
torch.cuda.synchronize()
