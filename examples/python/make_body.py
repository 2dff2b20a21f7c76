"""Makes examples/python/body.pt: the body of a small network, trained in PyTorch on the digits 0 to 4.

Run it from the root of the project with a Python that has torch:  python examples/python/make_body.py
"""

import gzip
import pathlib

import torch
from torch import nn

MNIST = pathlib.Path("datasets/mnist")


def read(name, offset):
    with gzip.open(MNIST / name) as file:
        return torch.frombuffer(bytearray(file.read()[offset:]), dtype=torch.uint8)


images = read("train-images-idx3-ubyte.gz", 16).reshape(-1, 1, 28, 28).float() / 255
labels = read("train-labels-idx1-ubyte.gz", 8).long()
low = labels < 5
images, labels = images[low], labels[low]

torch.manual_seed(1)
body = nn.Sequential(
    nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU(),
    nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
    nn.Flatten(), nn.Linear(16 * 7 * 7, 32), nn.ReLU())
model = nn.Sequential(body, nn.Linear(32, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(600):
    rows = torch.randint(0, len(images), (64,))
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(images[rows]), labels[rows])
    loss.backward()
    optimizer.step()
print("loss", loss.item())
body.eval()
torch.jit.script(body).save("examples/python/body.pt")
