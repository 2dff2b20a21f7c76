"""Makes the golden values of optimizers, schedules and losses with PyTorch, in double precision.

Run from the repository's root: python core/src/test/golden/optim.py
"""
import json
import math
from pathlib import Path

import torch
from torch.nn import functional as F
from torch.optim import lr_scheduler

torch.set_default_dtype(torch.float64)
OUT = Path(__file__).parent.parent / "resources" / "golden"
SIZE, STEPS = 37, 20


def value(i):
    return math.cos(0.9 * i) * 0.5


def gradient(i, step):
    return math.sin(0.7 * i + 1.3 * step) * (1 + i % 3)


def optimize(make, clip=None):
    w = torch.tensor([value(i) for i in range(SIZE)], requires_grad=True)
    optimizer = make([w])
    for step in range(STEPS):
        w.grad = torch.tensor([gradient(i, step) for i in range(SIZE)])
        if clip:
            clip(w)
        optimizer.step()
    return w.detach().tolist()


def by_group(make, decay):
    """The last 10 values are a bias that does not decay."""
    w = torch.tensor([value(i) for i in range(SIZE)])
    weight, bias = w[:27].clone().requires_grad_(), w[27:].clone().requires_grad_()
    optimizer = make([{"params": [weight], "weight_decay": decay}, {"params": [bias], "weight_decay": 0.0}])
    for step in range(STEPS):
        g = torch.tensor([gradient(i, step) for i in range(SIZE)])
        weight.grad, bias.grad = g[:27].clone(), g[27:].clone()
        optimizer.step()
    return torch.cat([weight, bias]).detach().tolist()


O = torch.optim
optimizers = {
    "sgd": optimize(lambda p: O.SGD(p, lr=0.05)),
    "sgd momentum": optimize(lambda p: O.SGD(p, lr=0.05, momentum=0.9, weight_decay=0.1)),
    "sgd nesterov": optimize(lambda p: O.SGD(p, lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.1)),
    "adam": optimize(lambda p: O.Adam(p, lr=0.05)),
    "adam decay": optimize(lambda p: O.Adam(p, lr=0.05, betas=(0.8, 0.95), eps=1e-6, weight_decay=0.1)),
    "adamW": optimize(lambda p: O.AdamW(p, lr=0.05, weight_decay=0.1)),
    "adagrad": optimize(lambda p: O.Adagrad(p, lr=0.05, weight_decay=0.1)),
    "rmsprop": optimize(lambda p: O.RMSprop(p, lr=0.05)),
    "rmsprop centred": optimize(
        lambda p: O.RMSprop(p, lr=0.05, alpha=0.9, momentum=0.9, centered=True, weight_decay=0.1)),
    "adam clipNorm": optimize(lambda p: O.Adam(p, lr=0.05), lambda w: torch.nn.utils.clip_grad_norm_([w], 2.0)),
    "sgd clipValue": optimize(lambda p: O.SGD(p, lr=0.05), lambda w: torch.nn.utils.clip_grad_value_([w], 0.5)),
    "adam noDecay": by_group(lambda p: O.Adam(p, lr=0.05), 0.1),
    "adamW noDecay": by_group(lambda p: O.AdamW(p, lr=0.05), 0.1),
    "sgd noDecay": by_group(lambda p: O.SGD(p, lr=0.05, momentum=0.9), 0.1),
}


def factors(make, steps, metrics=None):
    optimizer = O.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    scheduler = make(optimizer)
    rates = []
    for step in range(steps):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step(metrics[step]) if metrics else scheduler.step()
    return rates


PLATEAU = [1.0, 0.8, 0.9, 0.85, 0.81, 0.79, 0.79, 0.8, 0.79, 0.795, 0.5, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6]
S = lr_scheduler
schedules = {
    "step": factors(lambda o: S.StepLR(o, 3, 0.5), 12),
    "milestones": factors(lambda o: S.MultiStepLR(o, [4, 7], 0.1), 12),
    "exponential": factors(lambda o: S.ExponentialLR(o, 0.9), 12),
    "linear": factors(lambda o: S.LinearLR(o, 1.0, 0.1, 12), 12),
    "cosine": factors(lambda o: S.CosineAnnealingLR(o, 12), 12),
    "cosine floor": factors(lambda o: S.CosineAnnealingLR(o, 12, 0.25), 12),
    "cosine warmup": factors(
        lambda o: S.SequentialLR(o, [S.LinearLR(o, 1 / 5, 1.0, 4), S.CosineAnnealingLR(o, 8)], [4]), 12),
    "oneCycle": factors(lambda o: S.OneCycleLR(o, 1.0, total_steps=20), 19),
    "plateau": factors(
        lambda o: S.ReduceLROnPlateau(o, factor=0.5, patience=2, cooldown=1, min_lr=0.2), len(PLATEAU), PLATEAU),
}


def loss(f, shape, target):
    count = math.prod(shape)
    output = torch.tensor([math.sin(1.7 * i) * 2 for i in range(count)]).reshape(shape).requires_grad_()
    value = f(output, target)
    value.backward()
    return {
        "output": output.detach().flatten().tolist(),
        "outputShape": list(shape),
        "target": target.flatten().tolist(),
        "targetShape": list(target.shape),
        "value": value.item(),
        "gradient": output.grad.flatten().tolist(),
    }


ids = torch.tensor([0, 2, 1, 2, 1])
shares = torch.softmax(torch.tensor([[math.cos(i * 3 + j) for j in range(3)] for i in range(5)]), 1)
sequence = torch.tensor([[0, 2, 1, 3], [3, -100, 0, -100]])
weights = torch.tensor([0.5, 2.0, 1.5])
yes = torch.tensor([[0.0, 1.0], [1.0, 1.0], [0.25, 0.0]])
real = torch.tensor([math.cos(i) * 3 for i in range(6)])


def classes_last(f):
    return lambda output, target: f(output.transpose(1, 2), target)


losses = {
    "softmaxCrossEntropy": loss(F.cross_entropy, (5, 3), ids),
    "softmaxCrossEntropy smoothed": loss(lambda o, t: F.cross_entropy(o, t, label_smoothing=0.2), (5, 3), ids),
    "softmaxCrossEntropy weighted": loss(
        lambda o, t: F.cross_entropy(o, t, weight=weights, label_smoothing=0.1), (5, 3), ids),
    "softmaxCrossEntropy shares": loss(lambda o, t: F.cross_entropy(o, t, label_smoothing=0.1), (5, 3), shares),
    "softmaxCrossEntropy sequence": loss(classes_last(F.cross_entropy), (2, 4, 4), sequence),
    "binaryCrossEntropy": loss(F.binary_cross_entropy_with_logits, (3, 2), yes),
    "binaryCrossEntropy weighted": loss(
        lambda o, t: F.binary_cross_entropy_with_logits(o, t, pos_weight=torch.tensor(3.0)), (3, 2), yes),
    "mse": loss(F.mse_loss, (6,), real),
    "mae": loss(F.l1_loss, (6,), real),
    "huber": loss(lambda o, t: F.huber_loss(o, t, delta=0.7), (6,), real),
}

OUT.mkdir(parents=True, exist_ok=True)
(OUT / "optim.json").write_text(json.dumps({
    "madeBy": "optim.py with PyTorch " + torch.__version__,
    "optimizers": optimizers, "schedules": schedules, "plateau": PLATEAU}, indent=1) + "\n")
(OUT / "loss.json").write_text(json.dumps({
    "madeBy": "optim.py with PyTorch " + torch.__version__, "losses": losses}, indent=1) + "\n")
