"""A training loop; with a file name as argument it profiles itself with torch.profiler and exports there."""
import sys

import torch
from torch import nn

model = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(4)]).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batch = torch.zeros(256, 1024, device="cuda")


def train(steps):
    for _ in range(steps):
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()
    torch.cuda.synchronize()


train(5)
if len(sys.argv) > 1:
    with torch.profiler.profile() as profile:
        train(40)
    profile.export_chrome_trace(sys.argv[1])
else:
    train(40)
