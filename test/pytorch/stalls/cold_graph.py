"""Captures a CUDA graph anew in every step."""
# expect: cold.graph
import torch
from common import fixed

model = torch.nn.Sequential(*[torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU()) for _ in range(30)]).cuda()
x = torch.zeros(8, 64, device="cuda")


def capture():
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        model(x)
    return graph


with torch.no_grad():
    for _ in range(3):
        model(x)
    torch.cuda.synchronize()
    graph = capture()
    for step in range(60):
        if not fixed("cold.graph"):
            graph = capture()
        graph.replay()
        x.mul_(1.0)
torch.cuda.synchronize()
