"""A late worker, and a log that is synced to disk every fourth step."""
import os
import tempfile
import time

import torch
from common import batch, fixed, mlp

model, x = mlp(), batch()
log = tempfile.TemporaryFile(dir=os.environ.get("GPUSTALL_DISK", "/var/tmp"), buffering=0)
line = b"x" * (16 << 20)


class Remote(torch.utils.data.Dataset):
    def __len__(self):
        return 48

    def __getitem__(self, index):
        if not fixed("data.worker_wait"):
            time.sleep(0.020)  # <- data.worker_wait
        return torch.zeros(4096)


for step, item in enumerate(torch.utils.data.DataLoader(Remote(), batch_size=1, num_workers=1)):
    out = model(x).mean().item()
    if step % 4 == 3 and not fixed("host.io"):
        log.seek(0)
        log.write(line)  # <- host.io
        os.fsync(log.fileno())  # <- host.io
torch.cuda.synchronize()
