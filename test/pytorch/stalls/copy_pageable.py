"""Uploads a large batch from pageable memory every step."""
import torch
from common import batch, fixed, mlp

model, x = mlp(), batch()
source = torch.zeros(4096, 4096)
if fixed("copy.pageable"):
    source = source.pin_memory()
for step in range(40):
    rows = source.to("cuda", non_blocking=True)  # <- copy.pageable
    out = model(rows[:512]).relu()
torch.cuda.synchronize()
