"""Touches fresh memory in each step."""
# expect: host.page_fault
import mmap

import torch
from common import batch, fixed, mlp

SIZE = 64 << 20
model, x = mlp(1), batch()
kept = mmap.mmap(-1, SIZE)
kept.write(bytes(SIZE))
for step in range(40):
    out = model(x)
    buffer = kept if fixed("host.page_fault") else mmap.mmap(-1, SIZE)
    for page in range(0, SIZE, 4096 * 4):
        buffer[page] = 1
torch.cuda.synchronize()
