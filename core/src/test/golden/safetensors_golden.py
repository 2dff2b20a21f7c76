"""Makes python.safetensors with the safetensors package and torch; or checks a file that Tutti wrote.

    python safetensors_golden.py make ../resources/dev/tutti/io/python.safetensors
    python safetensors_golden.py check FILE      # reads it with torch and prints what is inside; --numpy: with numpy too
"""

import sys

import torch
from safetensors import safe_open
from safetensors.numpy import load_file as load_numpy
from safetensors.torch import save_file


def make(path):
    tensors = {
        "dense1.weight": torch.tensor([[0.5, -1.25, 3e38], [1e-40, 0.0, -0.0]], dtype=torch.float32),
        "doubles": torch.tensor([1 / 3, -2e300], dtype=torch.float64),
        "longs": torch.tensor([[2**62, -1]], dtype=torch.int64),
        "ints": torch.tensor([7, -(2**31)], dtype=torch.int32),
        "bytes": torch.tensor([0, 127, 128, 255], dtype=torch.uint8),
        "flags": torch.tensor([True, False, True]),
        "half": torch.tensor([1.5, -65504.0, 6e-8, float("inf"), 0.333251953125], dtype=torch.float16),
        "brain": torch.tensor([1.5, -3e38, 1e-40, float("-inf")], dtype=torch.bfloat16),
        "scalar": torch.tensor(42.0),
        "empty": torch.zeros(0, 3),
        "größe": torch.tensor([1.0]),
    }
    save_file(tensors, path, metadata={"made": "by Python", "quote": 'a "word"'})


def check(path):
    with safe_open(path, "pt") as file:
        print("metadata", file.metadata())
        for name in file.keys():
            tensor = file.get_tensor(name)
            print(name, tensor.dtype, list(tensor.shape), tensor.flatten().tolist()[:8])
    if "--numpy" in sys.argv:  # which knows no bfloat16
        print("numpy reads", sorted(load_numpy(path)))


{"make": make, "check": check}[sys.argv[1]](sys.argv[2])
