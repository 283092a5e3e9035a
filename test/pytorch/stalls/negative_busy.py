"""A healthy loop: the GPU is the limit."""
import torch
from common import batch, mlp

model, x = mlp(), batch()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(40):
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
torch.cuda.synchronize()
