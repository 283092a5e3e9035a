"""A GPU-bound loop that reads its loss in each step and then works on the host for a while."""
import time

import torch

model = torch.nn.Sequential(*[torch.nn.Linear(4096, 4096) for _ in range(6)]).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
batch = torch.randn(2048, 4096, device="cuda")
for step in range(60):
    loss = model(batch).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    loss.item()
    end = time.perf_counter() + 0.01
    while time.perf_counter() < end:
        pass
