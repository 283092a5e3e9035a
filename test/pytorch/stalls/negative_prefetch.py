"""The next batch is copied on a second stream while this one computes."""
import torch
from common import batch, mlp

model, x = mlp(), batch()
source = torch.zeros(2048, 4096).pin_memory()
side = torch.cuda.Stream()
rows = source.to("cuda")
for step in range(40):
    torch.cuda.current_stream().wait_stream(side)
    with torch.cuda.stream(side):
        after = source.to("cuda", non_blocking=True)
    out = model(rows[:512])
    out = model(rows[:512])
    after.record_stream(torch.cuda.current_stream())
    rows = after
torch.cuda.synchronize()
