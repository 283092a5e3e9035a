"""A large pageable upload and Python work in each step."""
import torch
from common import batch, fixed, mlp

model, x = mlp(2), batch()
source = torch.zeros(2048, 4096)
if fixed("copy.pageable"):
    source = source.pin_memory()
for step in range(40):
    rows = source.to("cuda", non_blocking=True)  # <- copy.pageable
    out = model(rows[:512])
    total = 0
    for i in range(0 if fixed("host.python") else 150000): total += i % 7  # <- host.python
torch.cuda.synchronize()
