"""Two processes of PyTorch that train together with DistributedDataParallel over Gloo, or only sum a vector.

As users write it: one process for each core with one thread, the models of `engine_torch.py` wrapped by DDP with its
own choice of buckets, TCP over the loopback address. This process is rank 0 and speaks with the harness; rank 1 is
a child that is told over its standard input what to do and how often, so that no step has to ask whether to go on.
"""

import argparse
import datetime
import os
import subprocess
import sys
import time

import contender
import engine_torch
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

MEMBERS = 2
STRETCHES = 8
PATIENCE = datetime.timedelta(seconds=120)


def trained(model, batch, inputs):
    return engine_torch.training(DistributedDataParallel(model), batch, inputs, tuned=False)


def summed(count):
    vector = torch.full((count,), 1e-30)
    return contender.Workload(1, lambda: dist.all_reduce(vector))


WORKLOADS = {
    "mlp": lambda: trained(engine_torch.mlp(784, 1024), 256, lambda: torch.randn(256, 784)),
    "cnn": lambda: trained(engine_torch.cnn(), 128, lambda: torch.randn(128, 1, 28, 28)),
    "64MB": lambda: summed(16 << 20),
    "4KB": lambda: summed(1 << 10),
}


def join(store, rank):
    torch.set_num_threads(1)
    torch.manual_seed(7 + rank)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=MEMBERS, timeout=PATIENCE)


class Member:
    """One rank's part: builds a workload, and does so many steps of it after all have come."""

    def __init__(self):
        self.workload = None

    def build(self, name):
        self.workload = WORKLOADS[name]()

    def steps(self, count):
        dist.barrier()
        began = time.perf_counter()
        for _ in range(count):
            self.workload.step()
        self.workload.finish()
        return time.perf_counter() - began


class Pair(contender.Workload):
    """The workload of both ranks, as the harness asks for it."""

    def __init__(self, name, first, second):
        self.first, self.second = first, second
        self.tell(f"build {name}")
        first.build(name)
        self.batch = first.workload.batch * (1 if name.endswith("B") else MEMBERS)
        self.seconds_each = self.both(3) / 3

    def tell(self, order):
        self.second.stdin.write(order + "\n")
        self.second.stdin.flush()

    def both(self, count):
        self.tell(f"steps {count}")
        return self.first.steps(count)

    def run(self, seconds):
        """In some stretches, whose length follows from the pace of the last: a guess may be wrong by a lot."""
        done, took = 0, 0.0
        while done == 0 or took < seconds:
            count = max(1, int(seconds / STRETCHES / self.seconds_each))
            time_of_these = self.both(count)
            self.seconds_each = time_of_these / count
            done += count
            took += time_of_these
        return self.pace(done, took)


def second_rank(port):
    join(dist.TCPStore("127.0.0.1", port, MEMBERS, is_master=False, timeout=PATIENCE), 1)
    member = Member()
    for line in sys.stdin:
        verb, word = line.split()
        if verb == "build":
            member.build(word)
        else:
            member.steps(int(word))


def first_rank():
    store = dist.TCPStore("127.0.0.1", 0, MEMBERS, is_master=True, wait_for_workers=False, timeout=PATIENCE)
    command = [sys.executable, __file__, "--port", str(store.port)]
    second = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    try:
        join(store, 0)
        first = Member()
        contender.serve(
            engine_torch.answers, {name: (lambda name=name: Pair(name, first, second)) for name in WORKLOADS})
    finally:
        second.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, help="where rank 0 waits; given to rank 1 by rank 0")
    options = parser.parse_args()
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    if options.port is None:
        first_rank()
    else:
        second_rank(options.port)


if __name__ == "__main__":
    main()
