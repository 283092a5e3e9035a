"""The thread that pins batches is slow: a batch of a type with its own pin_memory()."""
# expect: data.pin
import time

import torch
from common import batch, fixed, mlp

model, x = mlp(), batch()


class Batch:
    def __init__(self, items):
        self.rows = torch.stack(items)

    def pin_memory(self):
        if not fixed("data.pin"):
            time.sleep(0.020)
        self.rows = self.rows.pin_memory()
        return self


items = [torch.zeros(4096) for _ in range(40 * 4)]
for item in torch.utils.data.DataLoader(items, batch_size=4, num_workers=1, collate_fn=Batch, pin_memory=True):
    out = model(x + item.rows.cuda(non_blocking=True).mean())
torch.cuda.synchronize()
