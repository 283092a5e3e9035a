"""Loads on the training process: each item is waited for."""
import time

import torch
from common import batch, fixed, mlp

model, x = mlp(), batch()


class Slow(torch.utils.data.Dataset):
    def __len__(self):
        return 40 * 4

    def __getitem__(self, index):
        time.sleep(0.004)  # <- data.main
        return torch.zeros(4096)


loader = torch.utils.data.DataLoader(Slow(), batch_size=4, num_workers=4 if fixed("data.main") else 0)
for item in loader:
    out = model(x + item.cuda().mean())
torch.cuda.synchronize()
