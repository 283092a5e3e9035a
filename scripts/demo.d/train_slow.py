"""A training script as people write it: a small CNN on images made on the fly, AdamW, mixed precision, an EMA of the weights.

It works, and the GPU waits for it: loading on the main process, loss.item() and a print in each step, an EMA loop of tiny
kernels, empty_cache() every few steps. train_fast.py is the same script with these four things repaired.
"""
import sys

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60


class Blobs(Dataset):
    """Images drawn when they are asked for, as decoding and augmenting would."""

    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        rng = np.random.default_rng(index)
        y, x = np.mgrid[0:64, 0:64].astype(np.float32)
        image = np.zeros((3, 64, 64), np.float32)
        for _ in range(4):
            cx, cy, r = rng.uniform(8, 56, 3)
            image += np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * r)) * rng.uniform(0, 1, (3, 1, 1)).astype(np.float32)
        return torch.from_numpy(image), index % 10


def make_model():
    def block(i, o):
        return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))

    return nn.Sequential(
        block(3, 128), block(128, 128), nn.MaxPool2d(2),
        block(128, 256), block(256, 256), block(256, 256), nn.MaxPool2d(2),
        block(256, 512), block(512, 512), block(512, 512), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))


def update_ema(ema, model, decay=0.999):
    with torch.no_grad():
        for a, b in zip(ema.parameters(), model.parameters()):
            a.mul_(decay)
            a.add_(b, alpha=1 - decay)


def main():
    device = "cuda"
    loader = DataLoader(Blobs(), batch_size=32)
    model, ema = make_model().to(device), make_model().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cuda")
    loss_fn = nn.CrossEntropyLoss()
    running = 0.0
    for step, (images, labels) in enumerate(loader):
        if step == STEPS:
            break
        images, labels = images.to(device), labels.to(device)
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):
            loss = loss_fn(model(images), labels)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        if step % 4 == 3:
            torch.cuda.empty_cache()
        running += loss.item()
        update_ema(ema, model)
        print(f"step {step} loss {running / (step + 1):.4f}")


if __name__ == "__main__":
    main()
