"""Graph replays, one after another, of work that fills the GPU."""
import torch
from common import batch, mlp

model, x = mlp(), batch()
with torch.no_grad():
    for _ in range(3):
        model(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = model(x)
    for step in range(60):
        graph.replay()
torch.cuda.synchronize()
