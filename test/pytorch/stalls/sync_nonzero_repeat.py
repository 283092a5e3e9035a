"""repeat_interleave without output_size."""
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
counts = torch.ones(512, dtype=torch.long, device="cuda")
for step in range(40):
    out = model(x)
    if fixed("sync.nonzero"):
        rows = torch.repeat_interleave(out[:, 0], counts, output_size=512)
    else:
        rows = torch.repeat_interleave(out[:, 0], counts)  # <- sync.nonzero
    spin(0.006)
torch.cuda.synchronize()
