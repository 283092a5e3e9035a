"""A thread of the same process computes in Python."""
# expect: host.gil
import threading

import torch
from common import batch, fixed, mlp, spin

model, x = mlp(2), batch()
stop = threading.Event()


def monitor():
    count = 0
    while not stop.is_set():
        count += 1


thread = threading.Thread(target=monitor)
if not fixed("host.gil"):
    thread.start()
for step in range(60):
    out = model(x).mean().item()
stop.set()
torch.cuda.synchronize()
