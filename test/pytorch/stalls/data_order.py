"""Every sixth batch is slow: the others are ready and must wait for it."""
# expect: data.order
import time

import torch
from common import batch, fixed, mlp

model, x = mlp(), batch()


class Uneven(torch.utils.data.Dataset):
    def __len__(self):
        return 120

    def __getitem__(self, index):
        if index % 6 == 5:
            time.sleep(0.150)
        return torch.zeros(4096)


loader = torch.utils.data.DataLoader(Uneven(), batch_size=1, num_workers=4, in_order=not fixed("data.order"))
for item in loader:
    out = model(x + item.cuda().mean())
torch.cuda.synchronize()
