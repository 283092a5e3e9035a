"""Hundreds of tiny kernels from a Python loop; repaired by a CUDA graph."""
import torch
from common import fixed

values = [torch.zeros(64, device="cuda") for _ in range(400)]


def decay():
    for value in values:
        value.mul_(0.9)  # <- launch.dispatch


decay()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    decay()
for step in range(200):
    if fixed("launch.dispatch"):
        graph.replay()
    else:
        decay()
    total = values[0].sum()
torch.cuda.synchronize()
