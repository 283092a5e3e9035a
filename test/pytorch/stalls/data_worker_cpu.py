"""One worker that computes for each item."""
import torch
from common import batch, fixed, mlp

model, x = mlp(), batch()


class Decoded(torch.utils.data.Dataset):
    def __len__(self):
        return 25

    def __getitem__(self, index):
        total = 0
        for i in range(0 if fixed("data.worker_cpu") else 1200000): total += i % 7  # <- data.worker_cpu
        return torch.zeros(4096)


for item in torch.utils.data.DataLoader(Decoded(), batch_size=1, num_workers=1):
    out = model(x + item.cuda().mean())
torch.cuda.synchronize()
