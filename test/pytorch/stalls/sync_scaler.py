"""Loss scaling with an optimizer that is not fused: the scaler reads whether gradients were finite."""
import torch
from common import batch, fixed, mlp, spin

model, x = mlp(), batch()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, fused=fixed("sync.scaler"))
scaler = torch.amp.GradScaler()
for step in range(40):
    loss = model(x).square().mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)  # <- sync.scaler
    scaler.update()
    spin(0.010)
torch.cuda.synchronize()
