"""Convolutions and batch normalisation through cuDNN, both memory formats, SGD and fused Adam."""
import torch
from torch import nn


def block(channels_in, channels_out):
    return nn.Sequential(nn.Conv2d(channels_in, channels_out, 3, padding=1), nn.BatchNorm2d(channels_out), nn.ReLU())


def train(memory_format, optimizer_type, **options):
    model = nn.Sequential(block(3, 32), block(32, 64), nn.MaxPool2d(2), block(64, 64), nn.AdaptiveAvgPool2d(1),
                          nn.Flatten(), nn.Linear(64, 10)).cuda().to(memory_format=memory_format)
    optimizer = optimizer_type(model.parameters(), lr=0.01, **options)
    for step in range(4):
        images = torch.randn(16, 3, 32, 32).cuda(non_blocking=True).to(memory_format=memory_format)
        targets = torch.randint(0, 10, (16,)).cuda()
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=step % 2 == 1):
            loss = nn.functional.cross_entropy(model(images), targets)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.inference_mode():
        model(images).argmax(1).tolist()


train(torch.contiguous_format, torch.optim.SGD, momentum=0.9)
train(torch.channels_last, torch.optim.Adam, fused=True)
torch.backends.cudnn.benchmark = True
train(torch.channels_last, torch.optim.SGD)
torch.cuda.synchronize()
