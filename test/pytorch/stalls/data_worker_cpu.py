"""One worker that computes for each item."""
# expect: data.worker_cpu
import sys
import time

import torch

FIXED = "--fixed" in sys.argv
STEPS = 40

model = torch.nn.Sequential(*[torch.nn.Linear(4096, 4096) for _ in range(6)]).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batch = torch.zeros(512, 4096, device="cuda")


def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


class Decoded(torch.utils.data.Dataset):
    def __len__(self):
        return STEPS * 4

    def __getitem__(self, index):
        if not FIXED:
            spin(0.008)  # <- stall
        return torch.zeros(4096)


loader = torch.utils.data.DataLoader(Decoded(), batch_size=4, num_workers=1)
for item in loader:
    out = model(batch + item.cuda().mean()).relu()
torch.cuda.synchronize()
