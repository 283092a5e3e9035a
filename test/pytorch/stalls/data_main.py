"""Loads on the training process: each item is waited for."""
# expect: data.main
import sys
import time

import torch

FIXED = "--fixed" in sys.argv
STEPS = 40

model = torch.nn.Sequential(*[torch.nn.Linear(4096, 4096) for _ in range(6)]).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batch = torch.zeros(512, 4096, device="cuda")


class Slow(torch.utils.data.Dataset):
    def __len__(self):
        return STEPS * 4

    def __getitem__(self, index):
        time.sleep(0.004)  # <- stall
        return torch.zeros(4096)


loader = torch.utils.data.DataLoader(Slow(), batch_size=4, num_workers=2 if FIXED else 0)
for item in loader:
    loss = model(batch + item.cuda().mean()).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
torch.cuda.synchronize()
