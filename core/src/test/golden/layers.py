"""Makes the golden values of layers: what PyTorch computes for fixed weights and inputs.

Each case holds the layer's definition as Tutti writes it, PyTorch's weights under the names they have in Tutti, the input, the
output, and the gradients of a fixed scalar (the sum of output[i] * cos(i)) for input and weights.

    python layers.py > ../resources/golden/layers.json
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(11)
torch.set_default_dtype(torch.float64)
cases = []


def array(tensor):
    flat = [float("%.7g" % value) for value in tensor.detach().reshape(-1).tolist()]
    if tensor.dtype == torch.int64:
        flat = tensor.reshape(-1).tolist()
    return {"shape": list(tensor.shape), "data": flat}


def case(name, definition, module, *inputs, call=None, training=False):
    module.train(training)
    with torch.no_grad():  # norms begin as ones and zeros, which would hide mistakes; rounding is what the file holds
        for value in list(module.parameters()) + [b for b in module.buffers() if b.is_floating_point()]:
            if value.dim() == 1:
                value.add_(torch.rand_like(value) * 0.5)
            value.copy_(torch.tensor([float("%.7g" % v) for v in value.reshape(-1).tolist()]).reshape(value.shape))
    inputs = [x if x.dtype == torch.int64 else (x * 1e4).round().div(1e4).requires_grad_(True) for x in inputs]
    state = {k: v.clone() for k, v in module.state_dict().items() if v.is_floating_point()}
    output = call(module, *inputs) if call else module(*inputs)
    (output * torch.arange(output.numel()).cos().reshape(output.shape)).sum().backward()
    gradients = {k: array(p.grad) for k, p in module.named_parameters()}
    cases.append({
        "name": name,
        "definition": definition,
        "training": training,
        "inputs": [array(x) for x in inputs],
        "ids": [x.dtype == torch.int64 for x in inputs],
        "weights": {k: array(v) for k, v in state.items()},
        "output": array(output),
        "inputGradients": [None if x.grad is None else array(x.grad) for x in inputs],
        "weightGradients": gradients,
        "stateAfter": {k: array(v) for k, v in module.named_buffers() if v.is_floating_point()} if training else {},
    })


def rand(*shape):
    return torch.randn(*shape)


def first(module, *inputs):
    return module(*inputs)[0]


def last(module, x):
    return module(x)[0][:, -1]


def both_ends(module, x):
    out = module(x)[0]
    half = out.size(2) // 2
    return torch.cat([out[:, -1, :half], out[:, 0, half:]], 1)


case("dense", {"type": "dense", "units": 3}, nn.Linear(5, 3), rand(2, 5))
case("dense on sequences", {"type": "dense", "units": 3}, nn.Linear(5, 3), rand(2, 4, 5))
case("embedding", {"type": "embedding", "vocabulary": 6, "width": 3, "paddingId": 2}, nn.Embedding(6, 3, padding_idx=2),
     torch.tensor([[0, 2, 5], [1, 1, 4]]))
case("conv1d", {"type": "conv1d", "filters": 4, "kernel": 3, "stride": 2, "padding": 1, "groups": 2},
     nn.Conv1d(2, 4, 3, stride=2, padding=1, groups=2), rand(2, 2, 9))
case("conv1d dilated", {"type": "conv1d", "filters": 3, "kernel": 3, "same": True, "dilation": 2},
     nn.Conv1d(2, 3, 3, padding="same", dilation=2), rand(2, 2, 9))
case("conv2d", {"type": "conv2d", "filters": 3, "kernel": 3}, nn.Conv2d(2, 3, 3), rand(2, 2, 6, 5))
case("conv2d with everything", {"type": "conv2d", "filters": 4, "kernel": [3, 2], "stride": [2, 1], "padding": [1, 0],
                                "dilation": [1, 2], "groups": 2, "bias": False},
     nn.Conv2d(2, 4, (3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2), groups=2, bias=False), rand(2, 2, 6, 5))
case("convTranspose1d", {"type": "convTranspose1d", "filters": 3, "kernel": 3, "stride": 2, "padding": 1, "outputPadding": 1},
     nn.ConvTranspose1d(2, 3, 3, stride=2, padding=1, output_padding=1), rand(2, 2, 4))
case("convTranspose2d", {"type": "convTranspose2d", "filters": 4, "kernel": [3, 2], "stride": 2, "dilation": [1, 2], "groups": 2,
                         "outputPadding": [1, 0]},
     nn.ConvTranspose2d(2, 4, (3, 2), stride=2, dilation=(1, 2), groups=2, output_padding=(1, 0)), rand(2, 2, 3, 3))
case("maxPool1d", {"type": "maxPool1d", "size": 3, "stride": 2, "padding": 1}, nn.MaxPool1d(3, 2, 1), rand(2, 2, 7))
case("maxPool2d", {"type": "maxPool2d", "size": [3, 2], "stride": 2, "padding": 1}, nn.MaxPool2d((3, 2), 2, 1), rand(2, 2, 6, 5))
case("avgPool1d", {"type": "avgPool1d", "size": 3, "stride": 2, "padding": 1}, nn.AvgPool1d(3, 2, 1), rand(2, 2, 7))
case("avgPool2d", {"type": "avgPool2d", "size": [3, 2], "stride": 2, "padding": 1}, nn.AvgPool2d((3, 2), 2, 1), rand(2, 2, 6, 5))
flat = nn.Flatten()
case("globalAvgPool2d", "globalAvgPool2d", nn.Sequential(nn.AdaptiveAvgPool2d(1), flat), rand(2, 3, 4, 5))
case("globalMaxPool2d", "globalMaxPool2d", nn.Sequential(nn.AdaptiveMaxPool2d(1), flat), rand(2, 3, 4, 5))
case("globalAvgPool1d", "globalAvgPool1d", nn.Sequential(nn.AdaptiveAvgPool1d(1), flat), rand(2, 3, 5))
case("globalMaxPool1d", "globalMaxPool1d", nn.Sequential(nn.AdaptiveMaxPool1d(1), flat), rand(2, 3, 5))
case("flatten", "flatten", flat, rand(2, 2, 3, 2))
for training in (True, False):
    mode = ", training" if training else ", evaluation"
    case("batchNorm of features" + mode, "batchNorm", nn.BatchNorm1d(4), rand(5, 4), training=training)
    case("batchNorm of signals" + mode, {"type": "batchNorm", "momentum": 0.3}, nn.BatchNorm1d(3, momentum=0.3), rand(2, 3, 4),
         training=training)
    case("batchNorm of images" + mode, {"type": "batchNorm", "epsilon": 0.01}, nn.BatchNorm2d(3, eps=0.01), rand(2, 3, 4, 2),
         training=training)
case("layerNorm", "layerNorm", nn.LayerNorm(6), rand(2, 3, 6))
case("layerNorm of two axes", {"type": "layerNorm", "axes": 2, "epsilon": 0.001}, nn.LayerNorm((3, 6), eps=0.001), rand(2, 3, 6))
case("lstm", {"type": "lstm", "units": 4}, nn.LSTM(3, 4, batch_first=True), rand(2, 5, 3), call=last)
case("lstm, all steps", {"type": "lstm", "units": 4, "sequence": True}, nn.LSTM(3, 4, batch_first=True), rand(2, 5, 3), call=first)
case("lstm, both ways", {"type": "lstm", "units": 3, "bidirectional": True}, nn.LSTM(3, 3, batch_first=True, bidirectional=True),
     rand(2, 5, 3), call=both_ends)
case("lstm, both ways, two layers", {"type": "lstm", "units": 2, "bidirectional": True, "layers": 2, "sequence": True},
     nn.LSTM(3, 2, num_layers=2, batch_first=True, bidirectional=True), rand(2, 4, 3), call=first)
case("gru", {"type": "gru", "units": 4}, nn.GRU(3, 4, batch_first=True), rand(2, 5, 3), call=last)
case("gru, both ways", {"type": "gru", "units": 3, "bidirectional": True, "sequence": True},
     nn.GRU(3, 3, batch_first=True, bidirectional=True), rand(2, 5, 3), call=first)
case("gru, both ways, two layers", {"type": "gru", "units": 2, "bidirectional": True, "layers": 2},
     nn.GRU(3, 2, num_layers=2, batch_first=True, bidirectional=True), rand(2, 4, 3), call=both_ends)


def self_attention(module, x, mask=None):
    return module(x, x, x, need_weights=False, attn_mask=mask)[0]


def causal(module, x):
    return self_attention(module, x, torch.full((x.size(1), x.size(1)), float("-inf")).triu(1))


def cross(module, query, *others):
    return module(query, others[0], others[-1], need_weights=False)[0]


def attention():
    return nn.MultiheadAttention(6, 2, batch_first=True)


case("attention", {"type": "attention", "heads": 2}, attention(), rand(2, 4, 6), call=self_attention)
case("attention, causal", {"type": "attention", "heads": 2, "causal": True}, attention(), rand(2, 4, 6), call=causal)
case("attention to another", {"type": "attention", "heads": 2}, attention(), rand(2, 3, 6), rand(2, 4, 6), call=cross)
case("attention, three inputs", {"type": "attention", "heads": 2}, attention(), rand(2, 3, 6), rand(2, 4, 6), rand(2, 4, 6),
     call=cross)
case("transformerEncoder", {"type": "transformerEncoder", "heads": 2, "inner": 8, "dropout": 0.3},
     nn.TransformerEncoderLayer(6, 2, 8, 0.3, "gelu", batch_first=True, norm_first=True), rand(2, 4, 6))
case("transformerEncoder, post-norm", {"type": "transformerEncoder", "heads": 3, "inner": 5, "postNorm": True,
                                      "innerActivation": "relu"},
     nn.TransformerEncoderLayer(6, 3, 5, 0.0, "relu", batch_first=True), rand(2, 4, 6))

activations = {"relu": nn.ReLU(), "relu6": nn.ReLU6(), "leakyRelu": nn.LeakyReLU(), "elu": nn.ELU(), "selu": nn.SELU(),
               "gelu": nn.GELU(), "silu": nn.SiLU(), "mish": nn.Mish(), "hardSwish": nn.Hardswish(), "hardTanh": nn.Hardtanh(),
               "hardSigmoid": nn.Hardsigmoid(), "softplus": nn.Softplus(), "softsign": nn.Softsign(), "sigmoid": nn.Sigmoid(),
               "tanh": nn.Tanh(), "softmax": nn.Softmax(-1), "logSoftmax": nn.LogSoftmax(-1)}
for name, function in activations.items():
    case(name, {"type": "activation", "activation": name}, function, rand(2, 6) * 4)

json.dump({"torch": torch.__version__, "cases": cases}, sys.stdout, separators=(",", ":"))
