"""What the labelled scripts share: the switch to the repaired variant, a model for the GPU, work for the host."""
import sys
import time

import torch

_repaired = next((a.partition("=")[2] or "all" for a in sys.argv[1:] if a.startswith("--fixed")), "")


def fixed(leaf):
    """True when this run shows the program with that stall really removed: --fixed (all of them) or --fixed=LEAF."""
    return _repaired in ("all", leaf)


def spin(seconds):
    """Work of the host's own, such as bookkeeping in Python."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def mlp(layers=6):
    """About 1.3 ms of device time per layer forward at 512 rows, and twice that backward."""
    return torch.nn.Sequential(*[torch.nn.Linear(4096, 4096) for _ in range(layers)]).cuda()


def batch():
    return torch.zeros(512, 4096, device="cuda")
