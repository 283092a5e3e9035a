"""STEPS steps of a small training script for the simulated device: two workers and a pin thread, forward and backward,
clipping, an optimizer that launches one kernel after the other, .item(): about 2,000 events a step.
"""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

BATCH = 16


class Rows(Dataset):
    def __len__(self):
        return int(sys.argv[1]) * BATCH

    def __getitem__(self, index):
        row = torch.ones(64)
        for _ in range(8):
            row = row * 1.0001
        return row, index % 10


def layer():
    return nn.Sequential(nn.Linear(64, 64), nn.LayerNorm(64), nn.ReLU())


def main():
    model = nn.Sequential(*[layer() for _ in range(20)], nn.Linear(64, 10)).to("cuda")
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    loss_of, total = nn.CrossEntropyLoss(), 0.0
    for rows, labels in DataLoader(Rows(), batch_size=BATCH, num_workers=2, pin_memory=True):
        optimizer.zero_grad()
        loss = loss_of(model(rows.to("cuda", non_blocking=True)), labels.to("cuda"))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=False)
        optimizer.step()
        total += loss.item()


if __name__ == "__main__":
    main()
