"""Each batch is thousands of tiny tensors, sent one by one from the worker."""
# expect: data.transport
import gc

import torch
from common import batch, fixed, mlp

model, x = mlp(), batch()
torch.multiprocessing.set_sharing_strategy("file_system")


class Graphs(torch.utils.data.Dataset):
    def __len__(self):
        return 25

    def __getitem__(self, index):
        return torch.zeros(600, 8) if fixed("data.transport") else [torch.zeros(8) for _ in range(600)]


kept = []  # freeing them is not transport, nor is collecting garbage among them
gc.disable()
for item in torch.utils.data.DataLoader(Graphs(), batch_size=None, num_workers=1):
    kept.append(item)
    out = model(x)
torch.cuda.synchronize()
