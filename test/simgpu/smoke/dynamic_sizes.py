"""Operations whose result size is read back from the device; the allocator giving memory back; exact round trips."""
import torch

COUNT = 100  # the default of the setting "count"

values = torch.randn(1000).cuda()
assert values.nonzero().shape == (COUNT, 1)
assert values[values > 0].shape == (COUNT,)
assert torch.masked_select(values, values > 0).shape == (COUNT,)
assert torch.where(values > 0)[0].shape == (COUNT,)
values.unique()
torch.unique(values, return_counts=True)
repeats = torch.ones(50, dtype=torch.int64).cuda()
assert torch.arange(50).cuda().repeat_interleave(repeats).shape == (COUNT,)
if values.sum() > 0:
    print("positive")
assert len(values.tolist()) == 1000
print(values[:3])

host = torch.arange(4096, dtype=torch.int32).reshape(64, 64)
assert torch.equal(host.cuda().cpu(), host)
assert torch.equal(host.pin_memory().cuda(non_blocking=True).cpu(), host)
wide = torch.randn(1 << 20)
assert torch.equal(wide.cuda().clone().cpu(), wide)
assert torch.equal(torch.full((1000,), 3.5, device="cuda").cpu(), torch.full((1000,), 3.5))
assert torch.equal(torch.ones(7, dtype=torch.int64, device="cuda").cpu(), torch.ones(7, dtype=torch.int64))
assert torch.zeros(5, device="cuda").sum().item() == 0

before = torch.cuda.memory_reserved()
large = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
del large
torch.cuda.empty_cache()
assert torch.cuda.memory_reserved() <= before
free, total = torch.cuda.mem_get_info()
assert 0 < free <= total
try:
    torch.empty(1 << 45, dtype=torch.uint8, device="cuda")
    raise SystemExit("an impossible allocation succeeded")
except torch.cuda.OutOfMemoryError:
    pass
