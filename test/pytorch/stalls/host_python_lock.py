"""Waits for a lock whose holder compresses: that is what takes the time."""
import threading
import time
import zlib

import torch
from common import batch, fixed, mlp

model, x = mlp(1), batch()
lock, asked, done = threading.Lock(), threading.Semaphore(0), threading.Event()
payload = bytes(3 << 20)


def archive():
    while asked.acquire() and not done.is_set():
        with lock:
            zlib.compress(payload, 6)  # <- host.python


thread = threading.Thread(target=archive)
thread.start()
for step in range(60):
    out = model(x)
    if not fixed("host.python"):
        asked.release()
        time.sleep(0.0001)
        with lock:
            pass
done.set()
asked.release()
thread.join()
torch.cuda.synchronize()
