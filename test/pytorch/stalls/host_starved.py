"""Three busy processes on the core of the training process."""
# expect: host.starved
import os
import subprocess
import sys

import torch
from common import batch, fixed, mlp, spin

core = min(os.sched_getaffinity(0))
model, x = mlp(1), batch()
model(x)
torch.cuda.synchronize()
os.sched_setaffinity(0, {core})
hogs = []
if not fixed("host.starved"):
    hogs = [subprocess.Popen(["taskset", "-c", str(core), sys.executable, "-S", "-c", "while True: pass"],
                             env={"PATH": os.environ["PATH"]}) for _ in range(2)]
try:
    for step in range(60):
        out = model(x)
        spin_until = sum(i % 7 for i in range(100000))
    torch.cuda.synchronize()
finally:
    for hog in hogs:
        hog.kill()
