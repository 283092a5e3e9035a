"""Reinforcement learning: an environment in Python between two small policies."""
import torch
from common import fixed

policy = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.Tanh(), torch.nn.Linear(64, 4)).cuda()


def advance(action):
    state = float(action)
    for i in range(0 if fixed("host.python") else 60000): state = (state * 1.01 + i) % 3.0  # <- host.python
    return state


state = torch.zeros(1, 16, device="cuda")
with torch.no_grad():
    for step in range(100):
        action = policy(state).argmax().item()
        advance(action)
torch.cuda.synchronize()
