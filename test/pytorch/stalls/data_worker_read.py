"""A worker reads records past the page cache."""
import mmap
import os
import tempfile

import torch
from common import batch, fixed, mlp

SIZE = 64 << 20
model, x = mlp(), batch()
file = tempfile.NamedTemporaryFile(dir=os.environ.get("GPUSTALL_DISK", "/var/tmp"))
for _ in range(4):
    file.write(os.urandom(SIZE))
file.flush()
os.fsync(file.fileno())
buffer = mmap.mmap(-1, SIZE)


def prepare(worker):
    buffer.write(bytes(SIZE))


class Records(torch.utils.data.Dataset):
    def __len__(self):
        return 25

    def __getitem__(self, index):
        if not fixed("data.worker_read"):
            fd = os.open(file.name, os.O_RDONLY | os.O_DIRECT)
            os.preadv(fd, [buffer], index % 4 * SIZE)  # <- data.worker_read
            os.close(fd)
        return torch.zeros(4096)


for item in torch.utils.data.DataLoader(Records(), batch_size=1, num_workers=1, worker_init_fn=prepare):
    out = model(x + item.cuda().mean())
torch.cuda.synchronize()
