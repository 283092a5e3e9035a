"""Two busy processes on the core of the training process."""
# expect: host.starved
import os
import subprocess
import sys
import time

import torch
from common import batch, fixed, mlp

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
    for step in range(40):
        out = model(x)
        end = time.thread_time() + 0.020
        while time.thread_time() < end: pass
    torch.cuda.synchronize()
finally:
    for hog in hogs:
        hog.kill()
