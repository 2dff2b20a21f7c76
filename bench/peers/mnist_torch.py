"""Trains the MNIST network in PyTorch as users write it, and prints one JSON object with accuracy and times.

The same network, schedule, batch size and number of epochs as `./tutti train mnist`, from the same files, with
a DataLoader and PyTorch's own choice of threads. The images come from torchvision's MNIST with ToTensor, as in
PyTorch's quickstart and its MNIST example; with --in-memory from one tensor that holds them all, which is faster.
"""

import argparse
import gzip
import json
import math
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def idx(file):
    """An IDX file of bytes as an array: two zero bytes, the type, the number of dimensions, the sizes, the data."""
    raw = gzip.decompress(file.read_bytes())
    dimensions = raw[3]
    shape = np.frombuffer(raw, ">i4", dimensions, 4)
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * dimensions).reshape(shape)


def torchvision_dataset(folder, part):
    """Torchvision reads the files unpacked from a folder of its own; they are put beside the installed packages once."""
    from torchvision.datasets import MNIST
    from torchvision.transforms import ToTensor

    root = Path(sys.prefix) / "mnist"
    for packed in folder.glob("*-ubyte.gz"):
        file = root / "MNIST" / "raw" / packed.stem
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            unfinished = file.with_suffix(".part")
            unfinished.write_bytes(gzip.decompress(packed.read_bytes()))
            unfinished.rename(file)
    return MNIST(root, train=part == "train", transform=ToTensor())


def tensor_dataset(folder, part):
    images = torch.from_numpy(idx(folder / f"{part}-images-idx3-ubyte.gz").astype(np.float32) / 255).unsqueeze(1)
    labels = torch.from_numpy(idx(folder / f"{part}-labels-idx1-ubyte.gz").astype(np.int64))
    return TensorDataset(images, labels)


def network():
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding="same"), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding="same"), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(64 * 7 * 7, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 10))


def schedule(steps, warm_up):
    """The share of the peak learning rate at a step: linear up over the warm-up, then cosine down to zero."""

    def share(step):
        if step < warm_up:
            return (step + 1) / warm_up
        return 0.5 * (1 + math.cos(math.pi * min(1.0, (step - warm_up) / max(1, steps - warm_up))))

    return share


def train(model, loader, criterion, optimizer, scheduler, most):
    model.train()
    for number, (images, labels) in enumerate(loader):
        if number == most:
            break
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        scheduler.step()
        if number % 100 == 0:
            print(f"  step {number}/{len(loader)}  loss {loss.item():.4f}", file=sys.stderr)


def accuracy(model, loader):
    model.eval()
    right, count = 0, 0
    with torch.no_grad():
        for images, labels in loader:
            right += (model(images).argmax(1) == labels).sum().item()
            count += len(labels)
    return right / count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "datasets" / "mnist")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--lr", type=float, default=1e-3, help="the peak learning rate")
    parser.add_argument("--warm-up", type=int, default=0, help="steps of linear rise to the peak")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--steps", type=int, help="at most so many steps in an epoch, to try the script out")
    parser.add_argument("--in-memory", action="store_true", help="images from one tensor, not from torchvision")
    options = parser.parse_args()
    dataset = tensor_dataset if options.in_memory else torchvision_dataset

    started = time.perf_counter()
    torch.manual_seed(options.seed)
    train_loader = DataLoader(dataset(options.data, "train"), batch_size=options.batch, shuffle=True)
    test_loader = DataLoader(dataset(options.data, "t10k"), batch_size=1000)
    model = network()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=options.lr)
    steps = options.epochs * len(train_loader)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, schedule(steps, options.warm_up))

    reached = 0.0
    for epoch in range(options.epochs):
        train(model, train_loader, criterion, optimizer, scheduler, options.steps)
        reached = accuracy(model, test_loader)
        print(f"epoch {epoch + 1}/{options.epochs}  accuracy {reached:.4f}", file=sys.stderr)
    print(json.dumps({
        "accuracy": reached, "training_seconds": time.perf_counter() - started,
        "epochs": options.epochs, "batch": options.batch, "torch": torch.__version__}))


if __name__ == "__main__":
    main()
