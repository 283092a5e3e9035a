"""Linear layers, AdamW, autocast and GradScaler; reads the loss back, saves a checkpoint."""
import io
import math

import torch
from torch import nn

model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Dropout(0.1), nn.LayerNorm(512), nn.Linear(512, 10)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cuda")
for step in range(12):
    inputs, targets = torch.randn(64, 256).cuda(), torch.randint(0, 10, (64,)).cuda()
    with torch.autocast("cuda", dtype=torch.float16):
        loss = nn.functional.cross_entropy(model(inputs), targets)
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    assert math.isfinite(loss.item()), loss.item()
assert scaler.get_scale() == 65536.0, scaler.get_scale()

checkpoint = io.BytesIO()
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, checkpoint)
checkpoint.seek(0)
model.load_state_dict(torch.load(checkpoint)["model"])
torch.cuda.synchronize()
