"""Waits for a lock that another thread holds while it waits itself."""
import threading
import time

import torch
from common import batch, fixed, mlp

model, x = mlp(1), batch()
lock, stop = threading.Lock(), threading.Event()


def flush():
    while not stop.is_set():
        with lock:
            time.sleep(0.012)
        time.sleep(0.0002)


thread = threading.Thread(target=flush)
thread.start()
for step in range(60):
    out = model(x)
    if not fixed("host.lock"):
        lock.acquire()  # <- host.lock
        lock.release()
stop.set()
thread.join()
torch.cuda.synchronize()
