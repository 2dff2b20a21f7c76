"""One model on two processes of PyTorch: two stages (torch.distributed.pipelining, 1F1B, 32 micro-batches) or two slices
of every layer (DTensor's parallelize_module), over Gloo, one thread each.

This process is rank 0 and speaks with the harness; rank 1 is a child that is told over its standard input what to do.
"""

import argparse
import datetime
import os
import subprocess
import sys
import time

import contender

answers = contender.own_standard_output()

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.pipelining import PipelineStage, Schedule1F1B
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

MEMBERS = 2
MICRO_BATCHES = 32
STRETCHES = 8
PATIENCE = datetime.timedelta(seconds=120)


class Block(nn.Module):
    """A block of a transformer with queries, keys and values apart, as PyTorch's tutorial on tensor parallel has it."""

    def __init__(self, width=128, heads=4, inner=512):
        super().__init__()
        self.head = width // heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.q, self.k, self.v = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x):
        y = self.norm1(x)
        parts = [p(y).unflatten(-1, (-1, self.head)).transpose(1, 2) for p in (self.q, self.k, self.v)]
        seen = nn.functional.scaled_dot_product_attention(*parts).transpose(1, 2).flatten(2)
        x = x + self.out(seen)
        return x + self.down(torch.relu(self.up(self.norm2(x))))


class Mean(nn.Module):
    def forward(self, x):
        return x.mean(dim=1)


def deep():
    layers = [layer for _ in range(16) for layer in (nn.Linear(512, 512), nn.ReLU())]
    return layers + [nn.Linear(512, 10)], 16, 1024, (512,)


def wide():
    layers = [nn.Linear(1024, 4096), nn.ReLU(), nn.Linear(4096, 1024), nn.ReLU(), nn.Linear(1024, 4096), nn.ReLU(),
              nn.Linear(4096, 10)]
    return layers, 4, 256, (1024,)


def blocks():
    return [Block() for _ in range(6)] + [Mean(), nn.Linear(128, 10)], 3, 128, (32, 128)


MODELS = {"deep": deep, "wide": wide, "blocks": blocks}


def pipeline(name):
    layers, cut, batch, shape = MODELS[name]()
    rank = dist.get_rank()
    part = nn.Sequential(*(layers[:cut] if rank == 0 else layers[cut:]))
    stage = PipelineStage(part, rank, MEMBERS, torch.device("cpu"))
    schedule = Schedule1F1B(stage, MICRO_BATCHES, loss_fn=nn.CrossEntropyLoss())
    optimizer = torch.optim.Adam(part.parameters(), lr=1e-3)
    x, y = torch.randn(batch, *shape), torch.randint(0, 10, (batch,))

    def step():
        optimizer.zero_grad()
        if rank == 0:
            schedule.step(x)
        else:
            schedule.step(target=y)
        optimizer.step()

    return contender.Workload(batch, step)


def tensor(name):
    layers, _, batch, shape = MODELS[name]()
    model = nn.Sequential(*layers)
    mesh = init_device_mesh("cpu", (MEMBERS,))
    if name == "blocks":
        plan = {"q": ColwiseParallel(), "k": ColwiseParallel(), "v": ColwiseParallel(), "out": RowwiseParallel(),
                "up": ColwiseParallel(), "down": RowwiseParallel()}
        for block in model:
            if isinstance(block, Block):
                parallelize_module(block, mesh, plan)
    else:
        parallelize_module(model, mesh, {
            "0": ColwiseParallel(), "2": RowwiseParallel(), "4": ColwiseParallel(), "6": RowwiseParallel()})
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, foreach=False)
    criterion = nn.CrossEntropyLoss()
    torch.manual_seed(3)
    x, y = torch.randn(batch, *shape), torch.randint(0, 10, (batch,))

    def step():
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()

    return contender.Workload(batch, step)


WAYS = {"pipeline": pipeline, "tensor": tensor}


def join(store, rank):
    torch.set_num_threads(1)
    torch.manual_seed(7)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=MEMBERS, timeout=PATIENCE)


class Member:
    def __init__(self, way):
        self.way, self.workload = way, None

    def build(self, name):
        self.workload = WAYS[self.way](name)

    def steps(self, count):
        dist.barrier()
        began = time.perf_counter()
        for _ in range(count):
            self.workload.step()
        return time.perf_counter() - began


class Pair(contender.Workload):
    def __init__(self, name, first, second):
        self.first, self.second = first, second
        self.tell(f"build {name}")
        first.build(name)
        self.batch = first.workload.batch
        self.seconds_each = self.both(2) / 2

    def tell(self, order):
        self.second.stdin.write(order + "\n")
        self.second.stdin.flush()

    def both(self, count):
        self.tell(f"steps {count}")
        return self.first.steps(count)

    def run(self, seconds):
        done, took = 0, 0.0
        while done == 0 or took < seconds:
            count = max(1, int(seconds / STRETCHES / self.seconds_each))
            time_of_these = self.both(count)
            self.seconds_each = time_of_these / count
            done += count
            took += time_of_these
        return self.pace(done, took)


def second_rank(way, port):
    join(dist.TCPStore("127.0.0.1", port, MEMBERS, is_master=False, timeout=PATIENCE), 1)
    member = Member(way)
    for line in sys.stdin:
        verb, word = line.split()
        if verb == "build":
            member.build(word)
        else:
            member.steps(int(word))


def first_rank(way):
    store = dist.TCPStore("127.0.0.1", 0, MEMBERS, is_master=True, wait_for_workers=False, timeout=PATIENCE)
    command = [sys.executable, __file__, "--way", way, "--port", str(store.port)]
    second = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    try:
        join(store, 0)
        first = Member(way)
        contender.serve(answers, {name: (lambda name=name: Pair(name, first, second)) for name in MODELS})
    finally:
        second.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--way", choices=sorted(WAYS), required=True)
    parser.add_argument("--port", type=int, help="where rank 0 waits; given to rank 1 by rank 0")
    options = parser.parse_args()
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    if options.port is None:
        first_rank(options.way)
    else:
        second_rank(options.way, options.port)


if __name__ == "__main__":
    main()
