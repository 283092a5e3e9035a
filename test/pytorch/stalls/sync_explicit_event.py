"""Times each step with events and waits for them at once."""
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
for step in range(40):
    begin.record()
    out = model(x)
    end.record()
    if not fixed("sync.explicit"):
        end.synchronize()  # <- sync.explicit
    spin(0.006)
torch.cuda.synchronize()
