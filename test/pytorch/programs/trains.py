"""Trains a small network in the way named by the first argument; the chain's test compares each with the device's log."""
import os
import sys

import torch
from torch import nn


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 80

    def __getitem__(self, index):
        return torch.full((64,), float(index))


def main(way):
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10)).cuda()
    optimizer = torch.optim.AdamW(model.parameters())

    def step(batch):
        loss = model(batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    if way in ("fork", "spawn", "forkserver"):
        loader = torch.utils.data.DataLoader(Rows(), batch_size=4, num_workers=2, pin_memory=True,
                                             multiprocessing_context=way)
        for batch in loader:
            step(batch.cuda(non_blocking=True))
    elif way == "streams":
        side = torch.cuda.Stream()
        for _ in range(20):
            with torch.cuda.stream(side):
                extra = torch.randn(512, 512, device="cuda") @ torch.randn(512, 512, device="cuda")
            step(torch.zeros(32, 64, device="cuda"))
            torch.cuda.current_stream().wait_stream(side)
    elif way == "graph":
        batch = torch.zeros(32, 64, device="cuda")
        with torch.no_grad():
            model(batch)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                model(batch)
        for _ in range(30):
            graph.replay()
    elif way == "child":  # a fork that the program itself makes, and that uses no device
        for _ in range(10):
            step(torch.zeros(32, 64, device="cuda"))
        if os.fork() == 0:
            os._exit(0)
        os.wait()
    else:
        for _ in range(20):
            step(torch.randn(32, 64).cuda()).item()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main(sys.argv[1])
