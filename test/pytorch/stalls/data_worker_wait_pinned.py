"""Two workers that wait, behind the thread that pins."""
import time

import torch
from common import batch, fixed, mlp

model, x = mlp(), batch()


class Remote(torch.utils.data.Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        if not fixed("data.worker_wait"):
            time.sleep(0.120)  # <- data.worker_wait
        return torch.zeros(4096)


for item in torch.utils.data.DataLoader(Remote(), batch_size=1, num_workers=2, pin_memory=True):
    out = model(x + item.cuda(non_blocking=True).mean())
torch.cuda.synchronize()
