"""Reads an answer from a slow server in each step."""
import os
import threading
import time

import torch
from common import batch, fixed, mlp

model, x = mlp(1), batch()
ask, asked = os.pipe()
answer, answered = os.pipe()


def serve():
    while os.read(ask, 1):
        if not fixed("host.read"):
            time.sleep(0.010)
        os.write(answered, b"y")


thread = threading.Thread(target=serve, daemon=True)
thread.start()
for step in range(40):
    out = model(x)
    os.write(asked, b"x")
    os.read(answer, 1)  # <- host.read
torch.cuda.synchronize()
