"""Reads values that are long finished while the GPU has plenty queued: nothing to gain."""
# expect: nothing
import sys

import torch

FIXED = "--fixed" in sys.argv
STEPS = 40

model = torch.nn.Sequential(*[torch.nn.Linear(4096, 4096) for _ in range(6)]).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batch = torch.zeros(512, 4096, device="cuda")

done = torch.zeros(8, device="cuda")
stream = torch.cuda.Stream()
for step in range(STEPS):
    for _ in range(4):
        out = model(batch)
    if not FIXED:
        with torch.cuda.stream(stream):
            for i in range(8):
                done[i].item()
torch.cuda.synchronize()
