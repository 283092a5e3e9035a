"""Trains a little, profiles a part of it with torch.profiler, trains on; prints how many kernels the profiler saw."""
import torch
from torch.profiler import ProfilerActivity, profile

model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512)).cuda()
batch = torch.randn(64, 512, device="cuda")


def train(steps):
    for _ in range(steps):
        model(batch).sum().backward()
    torch.cuda.synchronize()


train(10)
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
    train(10)
train(10)
print(sum(1 for event in prof.events() if event.device_type == torch.autograd.DeviceType.CUDA))
