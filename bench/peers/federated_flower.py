"""Federated averaging of the 2NN on MNIST in Flower's simulation; prints one JSON object.

The same network, batches, learning rate, number of clients and even partition as `./tutti federate simulate mnist`. Rounds are timed
from the end of the first one on, when Ray and all its workers are there, so that starting up does not count.
"""

import argparse
import gzip
import json
import os
import sys
import threading
import time
from pathlib import Path

import numpy as np
import torch

ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
_DATA = {}


def idx(file):
    raw = gzip.decompress(file.read_bytes())
    dimensions = raw[3]
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * dimensions).reshape(np.frombuffer(raw, ">i4", dimensions, 4))


def rows(folder, part, parts):
    if not _DATA:  # once for each worker process
        images = idx(Path(folder) / "train-images-idx3-ubyte.gz").reshape(-1, 784)
        _DATA["x"] = torch.from_numpy(images.astype(np.float32) / 255)
        _DATA["y"] = torch.from_numpy(idx(Path(folder) / "train-labels-idx1-ubyte.gz").astype(np.int64))
        _DATA["order"] = np.random.default_rng(7).permutation(len(images))
    own = _DATA["order"][part * 60000 // parts:(part + 1) * 60000 // parts]
    return _DATA["x"][own], _DATA["y"][own]


def resident():
    """Bytes in memory of this process and all that it has started, as Linux counts them."""
    parents, pages = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "stat").read_text().rpartition(")")[2].split()
                parents[int(folder.name)] = int(words[1])
                pages[int(folder.name)] = int(words[21])
            except OSError:
                pass  # it has ended meanwhile
    family, grown = {os.getpid()}, True
    while grown:
        more = {process for process, parent in parents.items() if parent in family} - family
        family, grown = family | more, bool(more)
    return sum(pages.get(process, 0) for process in family) * os.sysconf("SC_PAGE_SIZE")


def network():
    return torch.nn.Sequential(
        torch.nn.Linear(784, 200), torch.nn.ReLU(), torch.nn.Linear(200, 200), torch.nn.ReLU(), torch.nn.Linear(200, 10))


def test_accuracy(folder, arrays):
    x = torch.from_numpy(idx(Path(folder) / "t10k-images-idx3-ubyte.gz").reshape(-1, 784).astype(np.float32) / 255)
    y = torch.from_numpy(idx(Path(folder) / "t10k-labels-idx1-ubyte.gz").astype(np.int64))
    model = network()
    model.load_state_dict(arrays.to_torch_state_dict())
    return (model(x).argmax(1) == y).float().mean().item()


def apps(folder, clients, nodes, fraction, rounds, finish):
    """Flower's two parts: clients that train on their part of `clients`, and a server over `nodes` of them; `finish` gets the ends of
    the rounds and the final arrays."""
    from flwr.app import ArrayRecord, Context, Message, MetricRecord, RecordDict
    from flwr.clientapp import ClientApp
    from flwr.serverapp import Grid, ServerApp
    from flwr.serverapp.strategy import FedAvg

    client_app, server_app = ClientApp(), ServerApp()

    @client_app.train()
    def train(message: Message, context: Context):
        torch.set_num_threads(1)
        model = network()
        model.load_state_dict(message.content["arrays"].to_torch_state_dict())
        x, y = rows(folder, context.node_config["partition-id"], clients)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for batch in torch.randperm(len(x)).split(10):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x[batch]), y[batch]).backward()
            optimizer.step()
        content = RecordDict({"arrays": ArrayRecord(model.state_dict()), "metrics": MetricRecord({"num-examples": len(x)})})
        return Message(content=content, reply_to=message)

    ends = []

    class Timed(FedAvg):
        def aggregate_train(self, server_round, replies):
            result = super().aggregate_train(server_round, replies)
            ends.append(time.perf_counter())
            return result

    @server_app.main()
    def serve(grid: Grid, context: Context):
        strategy = Timed(fraction_train=fraction, fraction_evaluate=0.0, min_train_nodes=1, min_available_nodes=nodes)
        result = strategy.start(grid=grid, initial_arrays=ArrayRecord(network().state_dict()), num_rounds=rounds)
        finish(ends, result.arrays)

    return client_app, server_app


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--fraction", type=float, default=0.1)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--datasets", default="datasets/mnist")
    options = parser.parse_args()
    folder = str(Path(options.datasets).absolute())
    from flwr.simulation import run_simulation

    final, memory = {}, [0]

    def finish(ends, arrays):
        final.update(ends=ends, arrays=arrays)

    client_app, server_app = apps(folder, options.clients, options.clients, options.fraction, options.rounds, finish)

    def watch():
        while True:
            memory[0] = max(memory[0], resident())
            time.sleep(0.5)

    threading.Thread(target=watch, daemon=True).start()
    run_simulation(server_app=server_app, client_app=client_app, num_supernodes=options.clients,
                   backend_config={"client_resources": {"num_cpus": 1, "num_gpus": 0.0}})
    ends = final["ends"]
    answer = {"rounds_per_second": (len(ends) - 1) / (ends[-1] - ends[0]), "peak_mb": memory[0] / 1e6,
              "accuracy": test_accuracy(folder, final["arrays"])}
    ANSWERS.write(json.dumps(answer) + "\n")
    ANSWERS.flush()


if __name__ == "__main__":
    main()
    sys.exit(0)
