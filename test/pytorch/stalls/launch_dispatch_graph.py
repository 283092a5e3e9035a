"""A deep model of small layers, run eagerly; repaired by a CUDA graph."""
# expect: launch.dispatch
import torch
from common import fixed

model = torch.nn.Sequential(*[torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU()) for _ in range(60)]).cuda()
x = torch.zeros(8, 64, device="cuda")
with torch.no_grad():
    for _ in range(3):
        model(x)
    torch.cuda.synchronize()
    if fixed("launch.dispatch"):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = model(x)
    for step in range(200):
        if fixed("launch.dispatch"):
            graph.replay()
        else:
            out = model(x)
        x.mul_(1.0)
torch.cuda.synchronize()
