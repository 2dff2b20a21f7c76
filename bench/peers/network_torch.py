"""One of several processes of PyTorch on hosts of their own that sum vectors over Gloo, as users write it.

Arguments: rank, number of processes, and BYTESxTIMES,... ; where the first process listens is in the environment, as
torchrun sets it. The first one writes the median seconds of each vector.
"""

import datetime
import json
import sys
import time

import torch
import torch.distributed as dist


def median_seconds(count, times):
    vector = torch.full((count,), 1e-30)
    dist.all_reduce(vector)
    seconds = []
    for _ in range(times):
        dist.barrier()
        began = time.perf_counter()
        dist.all_reduce(vector)
        seconds.append(time.perf_counter() - began)
    return sorted(seconds)[(len(seconds) - 1) // 2]


def main():
    rank, size, orders = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=size, timeout=datetime.timedelta(seconds=120))
    seconds = []
    for order in orders.split(","):
        size_in_bytes, times = map(int, order.split("x"))
        seconds.append(median_seconds(size_in_bytes // 4, times))
    dist.barrier()
    if rank == 0:
        print("@seconds " + json.dumps(seconds), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
