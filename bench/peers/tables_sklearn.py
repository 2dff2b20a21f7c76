"""What ./tutti init reaches on tables, beside scikit-learn's models of the same kind with default settings.

    python bench/peers/tables_sklearn.py FOLDER [--tutti ./tutti] [--splits 3] [--output bench/results/tables.md]

FOLDER holds the tables that are listed below; those that are missing are left out. A table without a test file of its own is split at
random, nine rows of ten to learn from. Both sides see the same files: scikit-learn standardises numbers (missing ones filled by the
mean) and makes text one-hot; Tutti runs `init`, `train` and `evaluate` as they come.
"""

import argparse
import datetime
import json
import pathlib
import platform
import shutil
import subprocess
import tempfile
import time
import warnings

import numpy as np
import pandas as pd
import sklearn
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

# file, label (a name, or the last column of a table without names), test file, whether the label is one of some classes
TABLES = [
    ("adult.data.gz", "classification", "adult.test.gz", True),
    ("california_housing.csv", "median_house_value", None, False),
    ("winequality-red.csv", None, None, True),
    ("winequality-white.csv", None, None, True),
    ("abalone.csv", None, None, False),
    ("penguins.csv", "species", None, True),
]


def read(path, named):
    table = pd.read_csv(path, header=0 if named else None, na_values=["?", "NA"], skipinitialspace=True)
    return table if named else table.set_axis([f"c{i}" for i in range(table.shape[1])], axis=1)


def scikit_learn(train, test, label, classes):
    """The score of the perceptron and of the linear model."""
    x, y = train.drop(columns=label), train[label]
    numbers = x.select_dtypes("number").columns
    words = [name for name in x.columns if name not in numbers]
    encode = lambda: make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
        (make_pipeline(SimpleImputer(strategy="constant", fill_value="missing"),
                       OneHotEncoder(handle_unknown="ignore")), words))
    mean, deviation = (0, 1) if classes else (y.mean(), y.std())
    scaled = (lambda v: v) if classes else (lambda v: (v - mean) / deviation)
    models = ((MLPClassifier(random_state=0), LogisticRegression(max_iter=1000)) if classes
              else (MLPRegressor(random_state=0), LinearRegression()))
    scores = []
    for model in models:
        began = time.time()
        fitted = make_pipeline(encode(), model).fit(x, scaled(y))
        seconds = time.time() - began
        scores.append((fitted.score(test.drop(columns=label), scaled(test[label])), seconds))
    return scores


def tutti(command, train, test, label, classes, folder):
    """The score of what ./tutti init writes, by ./tutti evaluate, and the seconds of ./tutti train."""
    train_file, test_file = folder / "train.csv", folder / "test.csv"
    train.to_csv(train_file, index=False)
    test.to_csv(test_file, index=False)
    run = lambda *words: subprocess.run([command, *words], check=True, cwd=folder, capture_output=True, text=True).stdout
    run("init", "train.csv", "--label", label, "--output", "job.yaml")
    began = time.time()
    run("train", "job.yaml", "--output", "run")
    seconds = time.time() - began
    answer = json.loads(run("evaluate", "run", "--data", "test.csv", "--json"))
    return answer["accuracy" if classes else "r2"], seconds


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--tutti", default="./tutti")
    options.add_argument("--splits", type=int, default=3)
    options.add_argument("--output", type=pathlib.Path)
    said = options.parse_args()
    command = str(pathlib.Path(shutil.which(said.tutti) or said.tutti).resolve())
    warnings.filterwarnings("ignore")
    lines = [
        "# What ./tutti init reaches, beside scikit-learn's defaults",
        "",
        f"{datetime.date.today()}, {platform.machine()}, scikit-learn {sklearn.__version__}; made by"
        " `python bench/peers/tables_sklearn.py FOLDER --output bench/results/tables.md`. Accuracy of classes, R² of numbers on rows"
        f" that were not trained on; the mean over {said.splits} random split{'s' if said.splits > 1 else ''}, or the table's own test file. Seconds are those of"
        " training, the start of a process included for Tutti.",
        "",
        "| table | rows | score | Tutti (`init`) | scikit-learn MLP | scikit-learn linear | seconds: Tutti, MLP |",
        "|---|---|---|---|---|---|---|"]
    for name, wanted, test_name, classes in TABLES:
        if not (said.folder / name).exists():
            continue
        table = read(said.folder / name, wanted)
        label = wanted or table.columns[-1]
        table = table[table[label].notna()]
        if test_name:
            splits = [(table, read(said.folder / test_name, wanted))]
        else:
            splits = [train_test_split(table, test_size=0.1, random_state=seed) for seed in range(said.splits)]
        results = []
        for train, test in splits:
            with tempfile.TemporaryDirectory() as folder:
                results.append([tutti(command, train, test, label, classes, pathlib.Path(folder)),
                                *scikit_learn(train, test, label, classes)])
        mean = np.mean(np.array(results), axis=0)
        lines.append(f"| {name} | {len(table):,} | {'accuracy' if classes else 'R²'} | {mean[0][0]:.4f} | {mean[1][0]:.4f} |"
                     f" {mean[2][0]:.4f} | {mean[0][1]:.1f}, {mean[1][1]:.1f} |")
        print(lines[-1], flush=True)
    if said.output:
        said.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
