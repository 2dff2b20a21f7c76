"""The engine workloads in PyTorch.

As users write it: nn modules, torch.optim.Adam, zero_grad, backward, step. The loss stays a tensor and is not
fetched after each step, which is kinder to PyTorch than many tutorials are.
--tuned follows PyTorch's performance tuning guide: channels_last for the convolutions, and the fused optimizer.
--autocast computes forward passes in bf16 where PyTorch holds it safe, as users write it.
"""

import argparse
import itertools

import contender

answers = contender.own_standard_output()

import torch
from torch import nn

BATCHES = 8  # different batches kept in memory and taken in turn


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(64, 256, batch_first=True)
        self.head = nn.Linear(256, 10)

    def forward(self, x):
        sequence, _ = self.lstm(x)
        return self.head(sequence[:, -1])


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(128, 128)
        block = nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(block, 2, enable_nested_tensor=False)
        self.head = nn.Linear(128, 10)

    def forward(self, tokens):
        return self.head(self.encoder(self.embedding(tokens)).mean(dim=1))


def mlp(inputs, hidden):
    return nn.Sequential(
        nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 10))


def cnn():
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding="same"), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding="same"), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(64 * 7 * 7, 128), nn.ReLU(), nn.Linear(128, 10))


def training(model, batch, inputs, tuned, images=False, autocast=False):
    """The workload that trains this model on random batches made by `inputs`."""
    channels_last = tuned and images
    if channels_last:
        model = model.to(memory_format=torch.channels_last)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, **({"fused": True} if tuned else {}))
    criterion = nn.CrossEntropyLoss()
    data = []
    for _ in range(BATCHES):
        x = inputs()
        if channels_last:
            x = x.to(memory_format=torch.channels_last)
        data.append((x, torch.randint(0, 10, (batch,))))
    turns = itertools.cycle(data)
    last = None

    def step():
        nonlocal last
        x, y = next(turns)
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        last = loss.detach()

    def finish():
        if not torch.isfinite(last):
            raise ArithmeticError(f"the loss became {last.item()}")

    return contender.Workload(batch, step, finish)


def workloads(tuned, autocast):
    return {
        "mlp": lambda: training(mlp(784, 1024), 256, lambda: torch.randn(256, 784), tuned, autocast=autocast),
        "cnn": lambda: training(cnn(), 128, lambda: torch.randn(128, 1, 28, 28), tuned, images=True, autocast=autocast),
        "lstm": lambda: training(Lstm(), 64, lambda: torch.randn(64, 64, 64), tuned, autocast=autocast),
        "transformer": lambda: training(Transformer(), 32, lambda: torch.randint(0, 128, (32, 64)), tuned, autocast=autocast),
        "tiny": lambda: training(mlp(32, 64), 32, lambda: torch.randn(32, 32), tuned, autocast=autocast),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, required=True, help="compute threads")
    parser.add_argument("--tuned", action="store_true", help="channels_last and the fused optimizer")
    parser.add_argument("--autocast", action="store_true", help="torch.autocast in bf16")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(7)
    contender.serve(answers, workloads(options.tuned, options.autocast))


if __name__ == "__main__":
    main()
