"""Waits for a lock whose holder sleeps: the holder's line is to blame."""
import threading
import time

import torch
from common import batch, fixed, mlp

model, x = mlp(1), batch()
lock, asked, done = threading.Lock(), threading.Semaphore(0), threading.Event()


def flush():
    while asked.acquire() and not done.is_set():
        with lock:
            time.sleep(0.010)  # <- host.sleep


thread = threading.Thread(target=flush)
thread.start()
for step in range(60):
    out = model(x)
    if not fixed("host.sleep"):
        asked.release()
        time.sleep(0.0001)
        with lock:
            pass
done.set()
asked.release()
thread.join()
torch.cuda.synchronize()
