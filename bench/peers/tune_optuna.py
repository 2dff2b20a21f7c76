"""The search of bench/tuning.yaml with Optuna and PyTorch, as their guides write it: TPE with successive halving, trials in processes.

python tune_optuna.py --mnist FOLDER --trials 12 --places 2 [--pruner asha|none] [--sampler tpe|random] [--seed 0]
Prints one JSON object: trials, epochs, seconds and the best accuracy.
"""
import argparse
import gzip
import json
import multiprocessing
import pathlib
import struct
import tempfile
import time

EPOCHS, ROWS, TEST_ROWS = 9, 6000, 2000


def idx(path, count):
    import numpy as np

    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rb") as file:
        _, _, _, rank = struct.unpack(">BBBB", file.read(4))
        shape = struct.unpack(">" + "I" * rank, file.read(4 * rank))
        size = 1
        for dim in shape[1:]:
            size *= dim
        data = np.frombuffer(file.read(size * count), dtype=np.uint8)
    return data.reshape((count,) + shape[1:])


def load(folder):
    import torch

    def find(part):
        return next(p for p in sorted(pathlib.Path(folder).iterdir()) if p.name.startswith(part))

    def tensors(images, labels, count):
        x = torch.from_numpy(idx(find(images), count).copy()).float().div_(255).reshape(count, -1)
        return x, torch.from_numpy(idx(find(labels), count).copy()).long()

    return tensors("train-images", "train-labels", ROWS), tensors("t10k-images", "t10k-labels", TEST_ROWS)


def work(arguments, storage, trials):
    import optuna
    import torch

    torch.set_num_threads(1)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    (x, y), (test_x, test_y) = load(arguments.mnist)

    def objective(trial):
        units = trial.suggest_int("units", 16, 256, log=True)
        kind = trial.suggest_categorical("optimizer", ["adam", "sgd"])
        rate = trial.suggest_float("learningRate", 1e-4, 1e-1, log=True)
        batch = trial.suggest_categorical("batch", [32, 64, 128])
        net = torch.nn.Sequential(torch.nn.Linear(784, units), torch.nn.ReLU(), torch.nn.Linear(units, 10))
        optimizer = (torch.optim.Adam if kind == "adam" else torch.optim.SGD)(net.parameters(), lr=rate)
        loss_of = torch.nn.CrossEntropyLoss()
        accuracy = 0.0
        for epoch in range(1, EPOCHS + 1):
            for rows in torch.randperm(ROWS).split(batch):
                optimizer.zero_grad()
                loss_of(net(x[rows]), y[rows]).backward()
                optimizer.step()
            with torch.no_grad():
                accuracy = (net(test_x).argmax(1) == test_y).float().mean().item()
            trial.report(accuracy, epoch)
            if trial.should_prune():
                raise optuna.TrialPruned()
        return accuracy

    study(arguments, storage).optimize(objective, n_trials=trials)


def study(arguments, storage):
    import optuna

    sampler = (optuna.samplers.TPESampler if arguments.sampler == "tpe" else optuna.samplers.RandomSampler)(
        seed=arguments.seed + multiprocessing.current_process().pid % 1000)
    pruner = optuna.pruners.SuccessiveHalvingPruner(min_resource=1, reduction_factor=3) if arguments.pruner == "asha" \
        else optuna.pruners.NopPruner()
    return optuna.create_study(study_name="digits", storage=storage, direction="maximize", load_if_exists=True,
                               sampler=sampler, pruner=pruner)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--mnist", required=True)
    parser.add_argument("--trials", type=int, default=12)
    parser.add_argument("--places", type=int, default=2)
    parser.add_argument("--pruner", default="asha")
    parser.add_argument("--sampler", default="tpe")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        storage = f"sqlite:///{folder}/study.db"
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        study(arguments, storage)
        each = -(-arguments.trials // arguments.places)
        processes = [multiprocessing.get_context("spawn").Process(target=work, args=(arguments, storage, each))
                     for _ in range(arguments.places)]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        done = study(arguments, storage)
        print(json.dumps({
            "trials": len(done.trials),
            "epochs": sum(len(trial.intermediate_values) for trial in done.trials),
            "best": max(max(trial.intermediate_values.values()) for trial in done.trials if trial.intermediate_values),
            "seconds": time.perf_counter() - began,
        }))
