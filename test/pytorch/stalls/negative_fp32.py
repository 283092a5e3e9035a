"""Large GEMMs in fp32, and nothing else: busy, not idle."""
import torch

a = torch.zeros(4096, 4096, device="cuda")
for step in range(40):
    b = a @ a
    b = b @ a
torch.cuda.synchronize()
