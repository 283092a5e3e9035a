"""One worker that waits for each item, as for a remote store."""
import time

import torch
from common import batch, fixed, mlp

model, x = mlp(), batch()


class Remote(torch.utils.data.Dataset):
    def __len__(self):
        return 25

    def __getitem__(self, index):
        if not fixed("data.worker_wait"):
            time.sleep(0.060)  # <- data.worker_wait
        return torch.zeros(4096)


for item in torch.utils.data.DataLoader(Remote(), batch_size=1, num_workers=1):
    out = model(x + item.cuda().mean())
torch.cuda.synchronize()
