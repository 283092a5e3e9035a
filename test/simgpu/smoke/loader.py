"""A DataLoader with two workers and pinned memory, forked and spawned; a forked child must not get a device."""
import os
import sys

import torch
from torch.utils.data import DataLoader, Dataset


class Random(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.full((3, 16, 16), float(index)), index


def run(method):
    loader = DataLoader(Random(), batch_size=8, num_workers=2, pin_memory=True, multiprocessing_context=method)
    total = 0
    for images, indices in loader:
        assert images.is_pinned()
        device_images = images.cuda(non_blocking=True)
        torch.cuda.synchronize()
        assert device_images[0, 0, 0, 0].item() == float(indices[0])
        total += len(indices)
    assert total == 64


def forked_child_is_refused():
    torch.ones(1, device="cuda")
    child = os.fork()
    if child == 0:
        import ctypes
        count = ctypes.c_int()
        code = ctypes.CDLL(None).cudaGetDeviceCount(ctypes.byref(count))
        os._exit(0 if code == 3 else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0, "a forked child of a CUDA process was not refused"


if __name__ == "__main__":
    torch.ones(1, device="cuda")
    for method in sys.argv[1:] or ["fork", "spawn"]:
        run(method)
    forked_child_is_refused()
