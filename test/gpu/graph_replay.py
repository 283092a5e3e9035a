"""Replays a captured graph; prints the milliseconds of all replays as CUDA events see them."""
import torch

x = torch.randn(1024, 1024, device="cuda")
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    for _ in range(3):
        y = x @ x
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x
    for _ in range(20):
        y = y @ x
start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
start.record()
for _ in range(100):
    graph.replay()
end.record()
torch.cuda.synchronize()
print(start.elapsed_time(end))
