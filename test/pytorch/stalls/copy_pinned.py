"""A pinned upload in front of each step, on the stream that computes."""
import torch
from common import batch, fixed, mlp

model, x = mlp(), batch()
source = torch.zeros(4096, 4096).pin_memory()
side = torch.cuda.Stream()
rows = source.to("cuda")
for step in range(40):
    if fixed("copy.pinned"):
        torch.cuda.current_stream().wait_stream(side)
        with torch.cuda.stream(side):
            after = source.to("cuda", non_blocking=True)
        out = model(rows[:512])
        rows = after
    else:
        rows = source.to("cuda", non_blocking=True)  # <- copy.pinned
        out = model(rows[:512])
torch.cuda.synchronize()
