"""An optimizer that updates parameter by parameter."""
# expect: launch.dispatch
import torch
from common import fixed

values = [torch.zeros(64, device="cuda", requires_grad=True) for _ in range(200)]
for value in values:
    value.grad = torch.zeros_like(value)
optimizer = torch.optim.Adam(values, lr=0.01, foreach=False, fused=fixed("launch.dispatch"))
for step in range(60):
    torch._foreach_mul_([value.grad for value in values], 0.9)
    optimizer.step()
torch.cuda.synchronize()
