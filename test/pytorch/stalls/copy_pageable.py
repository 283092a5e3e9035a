"""Uploads a large batch from pageable memory every step."""
# expect: copy.pageable
import sys

import torch

FIXED = "--fixed" in sys.argv
STEPS = 40

model = torch.nn.Sequential(*[torch.nn.Linear(4096, 4096) for _ in range(6)]).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batch = torch.zeros(512, 4096, device="cuda")

source = torch.zeros(4096, 4096)
if FIXED:
    source = source.pin_memory()
for step in range(STEPS):
    batch = source.to("cuda", non_blocking=True)  # <- stall
    out = model(batch[:512]).relu()
torch.cuda.synchronize()
