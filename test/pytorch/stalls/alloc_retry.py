"""Shapes change near the memory limit: the allocator frees its cache and asks again."""
# expect: alloc.retry
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
if not fixed("alloc.retry"):
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(((512 + 600) << 20) / total)
for step in range(60):
    out = model(x)
    scratch = torch.empty((300 + 40 * (step % 3)) << 20, dtype=torch.uint8, device="cuda")
    del scratch
    spin(0.006)
torch.cuda.synchronize()
