"""Trains until it is killed, with as many loader workers as its argument says; `exit N` prints, uses the device, exits N."""
import os
import sys

import torch


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 1 << 30

    def __getitem__(self, index):
        return torch.zeros(64)


def main():
    model = torch.nn.Linear(64, 64).cuda()
    if sys.argv[1] == "exit":
        model(torch.zeros(8, 64, device="cuda"))
        print("to stdout")
        print("to stderr", file=sys.stderr)
        sys.exit(int(sys.argv[2]))
    iterator = iter(torch.utils.data.DataLoader(Rows(), batch_size=8, num_workers=int(sys.argv[1])))
    workers = [w.pid for w in getattr(iterator, "_workers", [])]
    for step, batch in enumerate(iterator):
        model(batch.cuda()).sum().item()
        if step == 20:
            print(os.getpid(), *workers, flush=True)


if __name__ == "__main__":
    main()
