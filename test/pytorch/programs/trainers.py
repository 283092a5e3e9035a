"""Two trainers, each on its own device, started in the way that the first argument names; the second says how one may end
early: `kill` or `raise`. Exits with what the way of starting makes of that."""
import multiprocessing
import os
import signal
import subprocess
import sys

STEPS = 20


def train(rank, end=""):
    import torch

    model = torch.nn.Linear(64, 64).to(f"cuda:{rank}")
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for step in range(STEPS * (rank + 1)):
        model(torch.zeros(8, 64, device=f"cuda:{rank}")).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        if rank == 1 and step == STEPS:
            torch.cuda.synchronize()
            if end == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if end == "raise":
                raise ValueError("rank 1 gives up")
    torch.cuda.synchronize()


def train_together(end):
    """A rank of several, with gradients summed by gloo where this torch has it."""
    import torch.distributed

    rank = int(os.environ["RANK"])
    if torch.distributed.is_gloo_available():
        torch.distributed.init_process_group("gloo")
        both = torch.full((4,), float(rank))
        torch.distributed.all_reduce(both)
        assert both[0] == 1, both
    train(rank, end)


def execute_another(end):
    """The process trains, and goes on as another program that trains, with a log of its own."""
    train(0)
    os.environ["GPUSTALL_SIM"] = os.environ["GPUSTALL_SIM"].replace("%p", "%p-second")
    os.execv(sys.executable, [sys.executable, __file__, "second", end])


def start_ranks(end):
    port = str(20000 + os.getpid() % 20000)
    common = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    ranks = [subprocess.Popen([sys.executable, __file__, "rank", end],
                              env={**os.environ, **common, "RANK": str(r), "LOCAL_RANK": str(r)}) for r in range(2)]
    return [rank.wait() for rank in ranks]


def main(way, end=""):
    if way == "rank":
        return train_together(end)
    if way == "second":
        return train(1, end)
    if way == "exec":
        return execute_another(end)
    if way == "torch_spawn":
        import torch.multiprocessing
        torch.multiprocessing.spawn(train, (end,), nprocs=2)
    elif way == "ranks":
        sys.exit(max(abs(code) for code in start_ranks(end)))
    else:
        context = multiprocessing.get_context(way)
        trainers = [context.Process(target=train, args=(rank, end)) for rank in range(2)]
        for trainer in trainers:
            trainer.start()
        for trainer in trainers:
            trainer.join()
        sys.exit(max(abs(trainer.exitcode) for trainer in trainers))


if __name__ == "__main__":
    main(*sys.argv[1:])
