"""Makes the TorchScript modules that the Java tests import, and what PyTorch computes with them.

    python make_torchscript.py

Writes *.pt and expected.json into ../resources/golden/torchscript. The files are committed, so the tests need no Python.
"""

import json
import pathlib
import zipfile
from typing import Dict, Tuple

import torch
from torch import Tensor, nn

OUT = pathlib.Path(__file__).resolve().parent.parent / "resources" / "golden" / "torchscript"


class Classifier(nn.Module):
    """Convolution, batch norm with running statistics, a head."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2))
        self.head = nn.Linear(36, 5)

    def forward(self, x):
        return self.head(self.body(x).flatten(1))


class Tagger(nn.Module):
    """Ids in, a score of every tag for every step out; works for any length."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(11, 6)
        self.lstm = nn.LSTM(6, 7, batch_first=True)
        self.tags = nn.Linear(7, 3)

    def forward(self, ids):
        states, _ = self.lstm(self.embedding(ids))
        return self.tags(states)


class Pair(nn.Module):
    """Two inputs, one of them ids, and two outputs."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(5, 4)
        self.mix = nn.Linear(3, 4)

    def forward(self, x, word) -> Tuple[Tensor, Tensor]:
        a = self.mix(x)
        b = self.words(word)
        return a + b, (a * b).sum(1, keepdim=True)


class Odd(nn.Module):
    """One weight under two names, a buffer that is replaced instead of changed, and a table of large whole numbers."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4, bias=False)
        self.second = nn.Linear(4, 4, bias=False)
        self.second.weight = self.first.weight
        self.register_buffer("mean", torch.zeros(4))
        self.register_buffer("large", torch.tensor([2**40 + 1, 2**40 + 3]))

    def forward(self, x):
        if self.training:
            self.mean = self.mean * 0.5 + x.mean(0) * 0.5
        y = self.second(torch.relu(self.first(x))) - self.mean
        return y + (self.large[1] - self.large[0]).to(y.dtype)


class Noise(nn.Module):
    """Dropout alone: what is random inside a module."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(64))
        self.dropout = nn.Dropout(0.5)

    def forward(self, x):
        return self.dropout(x * self.scale)


class Named(nn.Module):
    def forward(self, x) -> Dict[str, Tensor]:
        return {"x": x}


class Count(nn.Module):
    def forward(self, x) -> int:
        return x.size(0)


class Flattening(nn.Module):
    """Loses the batch."""

    def forward(self, x):
        return x.flatten()


def array(tensor):
    return {"type": str(tensor.dtype).removeprefix("torch."), "shape": list(tensor.shape),
            "data": tensor.detach().flatten().tolist()}


def as_list(result):
    return list(result) if isinstance(result, tuple) else [result]


def save(name, scripted):
    """Saves without the debug records, which hold the paths of this machine's Python files."""
    whole = OUT / f"{name}.whole"
    torch.jit.save(scripted, str(whole))
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(OUT / f"{name}.pt", "w") as target:
        for entry in source.namelist():
            if not entry.endswith(".debug_pkl"):
                target.writestr(zipfile.ZipInfo(entry), source.read(entry))
    whole.unlink()
    torch.jit.load(str(OUT / f"{name}.pt"))


def case(name, module, *inputs):
    """Outputs in both modes, the gradients of the sum of squares while training, and the buffers afterwards."""
    scripted = torch.jit.script(module)
    scripted.eval()
    save(name, scripted)
    expected = {"inputs": [array(x) for x in inputs], "eval": [array(y) for y in as_list(module.eval()(*inputs))]}
    outputs = as_list(module.train()(*inputs))
    sum((y**2).sum() for y in outputs).backward()
    expected["train"] = [array(y) for y in outputs]
    expected["gradients"] = {n: array(p.grad) for n, p in module.named_parameters()}
    expected["buffers"] = {n: array(b) for n, b in module.named_buffers()}
    return expected


def main():
    torch.manual_seed(3)
    torch.set_num_threads(1)
    OUT.mkdir(parents=True, exist_ok=True)
    classifier = Classifier()
    classifier.body[1].running_mean.uniform_(-1, 1)
    classifier.body[1].running_var.uniform_(0.5, 2)
    cases = {
        "classifier": case("classifier", classifier, torch.randn(6, 1, 8, 8)),
        "tagger": case("tagger", Tagger(), torch.randint(0, 11, (3, 5))),
        "pair": case("pair", Pair(), torch.randn(4, 3), torch.randint(0, 5, (4,))),
        "odd": case("odd", Odd(), torch.randn(5, 4)),
    }
    (OUT / "expected.json").write_text(json.dumps(cases) + "\n")
    others = {"noise": Noise(), "dict": Named(), "number": Count(), "flattening": Flattening(),
              "half": Classifier().half()}
    for name, module in others.items():
        save(name, torch.jit.script(module))
    torch.save(Tagger().state_dict(), str(OUT / "state_dict.pt"))
    torch.save(Tagger().state_dict(), str(OUT / "legacy_state_dict.pt"), _use_new_zipfile_serialization=False)


if __name__ == "__main__":
    main()
