"""Trains a network on two executors of Spark with PyTorch through TorchDistributor, and prints one JSON object.

The same network, rows, optimizer, batch size and number of epochs as `./tutti spark measure tutti`. TorchDistributor hands no rows to its
processes: they read them from a file that is written before the clock starts, one tensor in memory, DistributedDataParallel over Gloo.
The time is that of a second call of `run`, in a session that is warm.
"""

import argparse
import gzip
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

TRAIN = 10_000
TEST = 2_000


def idx(file):
    """An IDX file of bytes as an array: two zero bytes, the type, the number of dimensions, the sizes, the data."""
    raw = gzip.decompress(file.read_bytes())
    dimensions = raw[3]
    shape = np.frombuffer(raw, ">i4", dimensions, 4)
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * dimensions).reshape(shape)


def write_rows(datasets, folder):
    for part, rows in (("train", TRAIN), ("t10k", TEST)):
        images = idx(datasets / f"{part}-images-idx3-ubyte.gz")[:rows].reshape(rows, -1)
        np.save(folder / f"{part}-x.npy", images.astype(np.float32) / 255)
        np.save(folder / f"{part}-y.npy", idx(datasets / f"{part}-labels-idx1-ubyte.gz")[:rows].astype(np.int64))


def train(folder, epochs):
    """What each process runs; it has to bring its imports along."""
    import numpy as np
    import torch
    import torch.distributed as dist
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel
    from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

    torch.set_num_threads(1)
    torch.manual_seed(1)
    dist.init_process_group("gloo")

    def part(name):
        return torch.from_numpy(np.load(f"{folder}/{name}-x.npy")), torch.from_numpy(np.load(f"{folder}/{name}-y.npy"))

    data = TensorDataset(*part("train"))
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=128 // dist.get_world_size(), sampler=sampler)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(784, 128), nn.Sigmoid(), nn.Linear(128, 10)))
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for images, labels in loader:
            optimizer.zero_grad()
            criterion(model(images), labels).backward()
            optimizer.step()
    images, labels = part("t10k")
    with torch.no_grad():
        accuracy = (model(images).argmax(1) == labels).float().mean().item()
    dist.destroy_process_group()
    return accuracy


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--datasets", type=Path, default=Path("datasets/mnist"))
    parser.add_argument("--epochs", type=int, default=6)
    options = parser.parse_args()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what Spark and the processes print
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.ml.torch.distributor import TorchDistributor
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local-cluster[2,1,2048]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.executorEnv.SPARK_SCALA_VERSION", "2.13")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    with tempfile.TemporaryDirectory() as name:
        write_rows(options.datasets, Path(name))
        distributor = TorchDistributor(num_processes=2, local_mode=False, use_gpu=False)
        distributor.run(train, name, 1)
        began = time.perf_counter()
        accuracy = distributor.run(train, name, options.epochs)
        seconds = time.perf_counter() - began
    spark.stop()
    answers.write(json.dumps({"fit_seconds": seconds, "accuracy": accuracy}) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
