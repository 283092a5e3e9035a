"""Trains on the device for some seconds with a number of DataLoader workers: loader_load.py WORKERS SECONDS."""
import sys
import time

import torch


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 1 << 30

    def __getitem__(self, index):
        total = 0
        for i in range(2000):  # Python work, so that there are stacks to read
            total += i * index
        return torch.full((64,), float(total % 7))


if __name__ == "__main__":
    workers, seconds = int(sys.argv[1]), float(sys.argv[2])
    model = torch.nn.Linear(64, 64).cuda()
    until = time.monotonic() + seconds
    for batch in torch.utils.data.DataLoader(Rows(), batch_size=8, num_workers=workers):
        model(batch.cuda()).sum().item()
        if time.monotonic() > until:
            break
