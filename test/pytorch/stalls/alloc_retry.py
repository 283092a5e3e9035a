"""Near the memory limit, with scratch memory on two streams in turn: the allocator frees its cache and asks again."""
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
streams = [torch.cuda.Stream(), torch.cuda.Stream()]
total = torch.cuda.get_device_properties(0).total_memory
with torch.no_grad():
    model(x)
    limit = torch.cuda.memory_reserved() + ((2000 if fixed("alloc.retry") else 1000) << 20)
    torch.cuda.set_per_process_memory_fraction(limit / total)
    for step in range(60):
        with torch.cuda.stream(streams[step % 2]):
            scratch = torch.empty(800 << 20, dtype=torch.uint8, device="cuda")  # <- alloc.retry
            del scratch
        spin(0.006)
        out = model(x)
torch.cuda.synchronize()
