"""A worker and three busy processes share one core."""
# expect: data.worker_starved
import os
import subprocess
import sys

import torch
from common import batch, fixed, mlp

model, x = mlp(), batch()
core = max(os.sched_getaffinity(0))
hogs = []
if not fixed("data.worker_starved"):
    hogs = [subprocess.Popen(["taskset", "-c", str(core), sys.executable, "-S", "-c", "while True: pass"],
                             env={"PATH": os.environ["PATH"]}) for _ in range(3)]


class Decoded(torch.utils.data.Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        total = 0
        for i in range(150000): total += i % 7
        return torch.zeros(4096)


def pin_to_core(worker):
    os.sched_setaffinity(0, {core})


try:
    for item in torch.utils.data.DataLoader(Decoded(), batch_size=1, num_workers=1, worker_init_fn=pin_to_core):
        out = model(x + item.cuda().mean())
    torch.cuda.synchronize()
finally:
    for hog in hogs:
        hog.kill()
