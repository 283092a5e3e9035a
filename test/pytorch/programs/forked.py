"""Forks one process, which is the first to use the device; the parent has imported torch before if the argument says so."""
import multiprocessing
import sys


def work():
    import torch

    a = torch.ones(256, 256, device="cuda")
    for _ in range(30):
        (a @ a).sum().item()
    a @ a  # its end is nobody's business: the process exits


if __name__ == "__main__":
    if sys.argv[1] == "torch":
        import torch  # noqa: F401
    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    process.join()
    sys.exit(process.exitcode)
