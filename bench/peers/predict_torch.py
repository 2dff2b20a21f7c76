"""PyTorch's batch inference of the served networks on all cores, as users write it."""

import torch

from contender import Workload, own_standard_output, serve
from serve_models import network

ROWS, BATCH = 16384, 256


def workload(name):
    model = network(name)
    torch.set_num_threads(torch.multiprocessing.cpu_count())
    rows = torch.rand(ROWS, *((784,) if name == "mlp" else (1, 28, 28)))

    def step():
        with torch.inference_mode():
            for start in range(0, ROWS, BATCH):
                model(rows[start:start + BATCH]).numpy()

    return Workload(ROWS, step)


if __name__ == "__main__":
    serve(own_standard_output(), {name: (lambda name=name: workload(name)) for name in ("mlp", "cnn")})
