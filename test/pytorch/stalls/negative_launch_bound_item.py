"""Launch-bound, with one .item() at the end of the step: the item is not to blame."""
import torch
from common import fixed

values = [torch.zeros(64, device="cuda") for _ in range(400)]
for step in range(100):
    if fixed("launch.dispatch"):
        torch._foreach_mul_(values, 0.9)
    else:
        for value in values:
            value.mul_(0.9)  # <- launch.dispatch
    total = values[0].sum()
    if not fixed("sync.item"):
        total.item()
torch.cuda.synchronize()
