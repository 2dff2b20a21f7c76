"""Runs the TorchScript files that the Java tests exported and compares them with what Java computed.

    mvn -pl core test -Dtest=TorchScriptFileTest && python core/src/test/golden/check_export.py core/target/exported

Each NAME.pt has a NAME.json beside it with inputs and outputs. Also checked: the file is in evaluation mode, its state can be
read and loaded, and a step of training changes what requires gradients and nothing else.
"""

import json
import pathlib
import sys

import torch


def tensor(array):
    return torch.tensor(array["data"], dtype=getattr(torch, array["type"])).reshape(array["shape"])


def as_list(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def check(file):
    expected = json.loads(file.with_suffix(".json").read_text())
    inputs = [tensor(x) for x in expected["inputs"]]
    module = torch.jit.load(str(file))
    assert not module.training, "must be in evaluation mode"
    outputs = as_list(module(*inputs))
    worst = 0.0
    for actual, wanted in zip(outputs, [tensor(y) for y in expected["outputs"]], strict=True):
        torch.testing.assert_close(actual, wanted, rtol=1e-6, atol=1e-6)
        worst = max(worst, (actual - wanted).abs().max().item())

    state = {name: value.clone() for name, value in module.state_dict().items()}
    module.load_state_dict(state)
    before = {name: p.detach().clone() for name, p in module.named_parameters()}
    learning = [p for p in module.parameters() if p.requires_grad]
    assert 0 < len(learning) < len(before) or len(before) == 1, "one parameter was frozen, the others learn"
    if learning:
        optimizer = torch.optim.SGD(learning, lr=0.1)
        module.train()
        sum((y**2).sum() for y in as_list(module(*inputs))).backward()
        optimizer.step()
        for name, p in module.named_parameters():
            assert p.requires_grad or torch.equal(p, before[name]), f"{name} is frozen but moved"
        assert any(not torch.equal(p, before[name]) for name, p in module.named_parameters())
    print(f"{file.stem}: {len(outputs)} outputs, largest difference {worst:.1e}, {', '.join(state)}")


def main():
    files = sorted(pathlib.Path(sys.argv[1]).glob("*.pt"))
    assert files, f"no exported files in {sys.argv[1]}"
    for file in files:
        check(file)


if __name__ == "__main__":
    main()
