"""CUDA graphs: capture (across streams), replay, graphed callables; what a capture forbids."""
import torch
from torch import nn

model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.randn(16, 64).cuda()


def step():
    optimizer.zero_grad(set_to_none=True)
    loss = model(inputs).square().mean()
    loss.backward()
    optimizer.step()
    return loss


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        step()
torch.cuda.current_stream().wait_stream(side)

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = step()
for _ in range(5):
    inputs.copy_(torch.randn(16, 64))
    graph.replay()
loss.item()

# Fork and join across streams inside a capture; a fill and a copy are really done at each replay.
forked, source, target = torch.cuda.CUDAGraph(), torch.zeros(100, device="cuda"), torch.zeros(100, device="cuda")
other = torch.cuda.Stream()
with torch.cuda.graph(forked):
    source.fill_(7.0)
    other.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(other):
        target.copy_(source)
        model(inputs)
    model(inputs)
    torch.cuda.current_stream().wait_stream(other)
source.zero_()
forked.replay()
torch.cuda.synchronize()
assert target.cpu().eq(7.0).all()

callable_model = torch.cuda.make_graphed_callables(nn.Linear(64, 64).cuda(), (torch.randn(16, 64).cuda(),))
callable_model(torch.randn(16, 64).cuda()).sum().backward()

broken = torch.cuda.CUDAGraph()
try:
    with torch.cuda.graph(broken):
        inputs.sum().item()
    raise SystemExit("a synchronisation inside a capture was accepted")
except RuntimeError as error:
    print("refused as it should be:", str(error).splitlines()[0])
torch.cuda.synchronize()
