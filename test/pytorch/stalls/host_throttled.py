"""The container's CPU quota stops a training loop that needs one whole core."""
# expect: host.throttled
import time

import torch
from common import batch, fixed, mlp
from common.quota import limit_to

if not fixed("host.throttled"):
    limit_to(0.5)
model, x = mlp(1), batch()
model(x)
torch.cuda.synchronize()
for step in range(250):
    out = model(x)
    end = time.thread_time() + 0.005
    while time.thread_time() < end: pass
torch.cuda.synchronize()
