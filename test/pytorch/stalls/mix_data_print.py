"""Loads on the training process and prints each step."""
import time

import torch
from common import batch, fixed, mlp

model, x = mlp(), batch()


class Slow(torch.utils.data.Dataset):
    def __len__(self):
        return 40 * 4

    def __getitem__(self, index):
        if not fixed("data.main"):
            time.sleep(0.004)  # <- data.main
        return torch.zeros(4096)


for item in torch.utils.data.DataLoader(Slow(), batch_size=4):
    out = model(x).mean()
    if not fixed("sync.print"):
        print(out)  # <- sync.print
torch.cuda.synchronize()
