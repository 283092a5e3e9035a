"""Two devices: work on both, copies between them, peer access, a model on each."""
import torch
from torch import nn

assert torch.cuda.device_count() == 2
models = [nn.Linear(128, 128).to(f"cuda:{device}") for device in range(2)]
inputs = torch.randn(32, 128)
outputs = [model(inputs.to(model.weight.device)).relu() for model in models]
moved = outputs[0].to("cuda:1")
assert moved.device.index == 1
(moved + outputs[1]).sum().backward()
exact = torch.arange(1000, device="cpu").to("cuda:0").to("cuda:1").cpu()
assert torch.equal(exact, torch.arange(1000))
for device in range(2):
    torch.cuda.synchronize(device)
    assert torch.cuda.memory_allocated(device) > 0
with torch.cuda.device(1):
    event = torch.cuda.Event()
    event.record()
    event.synchronize()
