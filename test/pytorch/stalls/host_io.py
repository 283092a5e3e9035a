"""Writes and syncs a log in each step."""
import os
import tempfile

import torch
from common import batch, fixed, mlp

model, x = mlp(1), batch()
log = tempfile.TemporaryFile(dir=os.environ.get("GPUSTALL_DISK", "/var/tmp"), buffering=0)
line = b"x" * (8 << 20)
for step in range(40):
    out = model(x)
    if not fixed("host.io"):
        log.seek(0)
        log.write(line)
        os.fsync(log.fileno())  # <- host.io
torch.cuda.synchronize()
