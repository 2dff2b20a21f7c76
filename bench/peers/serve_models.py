"""The networks that are served, the same as in ServedNetwork.java, and the reading of a request's row."""

import torch
from torch import nn


def network(name):
    """The network by its name, ready for inference; small models are computed fastest by one thread."""
    torch.manual_seed(1)
    torch.set_num_threads(1)
    if name == "mlp":
        model = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
    else:
        model = nn.Sequential(
            nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(800, 10))
    return model.eval()


def row(request):
    """The tensor of the first input of a request of the Open Inference Protocol, without the axis of the rows."""
    given = request["inputs"][0]
    return torch.tensor(given["data"], dtype=torch.float32).reshape(given["shape"][1:])


def answer(outputs):
    """One row of outputs in the words of the protocol."""
    return {"outputs": [{"name": "output", "shape": [1, len(outputs)], "datatype": "FP32", "data": outputs}]}
