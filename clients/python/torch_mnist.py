"""Takes part in the built-in job mnist with PyTorch: python3 torch_mnist.py ADDRESS FOLDER PART OF

FOLDER holds MNIST's four IDX files; the client has every OF-th image, from number PART on.
"""
import gzip
import os
import sys

import numpy as np
import torch

from tutti_federated import FederatedClient


def idx(folder, name, skip):
    path = os.path.join(folder, name)
    opened = open(path, "rb") if os.path.exists(path) else gzip.open(path + ".gz")
    with opened as file:
        return np.frombuffer(file.read()[skip:], np.uint8)


def main(address, folder, part, of):
    images = idx(folder, "train-images-idx3-ubyte", 16).reshape(-1, 784)[int(part)::int(of)]
    labels = idx(folder, "train-labels-idx1-ubyte", 8)[int(part)::int(of)]
    x, y = torch.tensor(images, dtype=torch.float32) / 255, torch.tensor(labels.astype(np.int64))
    model = torch.nn.Sequential(torch.nn.Linear(784, 200), torch.nn.ReLU(), torch.nn.Linear(200, 200), torch.nn.ReLU(),
                                torch.nn.Linear(200, 10))
    torch.set_num_threads(1)

    def train(parameters, job, work):
        own = list(model.parameters())
        with torch.no_grad():
            for tensor, (name, array) in zip(own, parameters.items()):
                tensor.copy_(torch.from_numpy(array if array.shape == tuple(tensor.shape) else array.T.copy()))
        optimizer = torch.optim.SGD(own, lr=job["optimizer"]["learningRate"] * work.get("rateFactor", 1))
        batch, steps, total = job.get("batch", 32), 0, 0.0
        for _ in range(job.get("epochs", 1)):
            total = 0.0
            for rows in torch.randperm(len(x)).split(batch):
                optimizer.zero_grad()
                loss = torch.nn.functional.cross_entropy(model(x[rows]), y[rows])
                loss.backward()
                optimizer.step()
                steps, total = steps + 1, total + loss.item() * len(rows)
        with torch.no_grad():
            trained = {name: (tensor if array.shape == tuple(tensor.shape) else tensor.T).numpy().copy()
                       for tensor, (name, array) in zip(own, parameters.items())}
        return trained, {"samples": len(x), "loss": total / len(x), "steps": steps}

    print(FederatedClient(address, name=f"torch{part}").run(train), "updates were accepted")


if __name__ == "__main__":
    main(*sys.argv[1:])
