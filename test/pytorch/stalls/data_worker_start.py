"""Short epochs whose workers are started anew, and take their time to be ready."""
# expect: data.worker_start
import time

import torch
from common import batch, fixed, mlp

model, x = mlp(), batch()
items = [torch.zeros(4096) for _ in range(20)]


def open_store(worker):
    time.sleep(0.1)


loader = torch.utils.data.DataLoader(items, batch_size=1, num_workers=1, worker_init_fn=open_store,
                                     persistent_workers=fixed("data.worker_start"))
for epoch in range(8):
    for item in loader:
        out = model(x + item.cuda().mean())
torch.cuda.synchronize()
