"""Makes metrics.json, the values that the metrics must reach, with scikit-learn and numpy.

    python metrics.py ../resources/dev/tutti/metric/metrics.json
"""

import json
import sys

import numpy as np
from sklearn import metrics as sk

rng = np.random.default_rng(11)


def classes():
    """Five classes, one of which (4) occurs neither in targets nor in predictions."""
    scores = np.round(rng.normal(size=(80, 5)), 3).astype(np.float32)
    targets = rng.integers(0, 4, size=80)
    scores[np.arange(80), targets] += np.float32(0.75)
    scores[:, 4] = -9
    decided = scores.argmax(axis=1)
    expected = {
        "accuracy": sk.accuracy_score(targets, decided),
        "top2": sk.top_k_accuracy_score(targets, scores, k=2, labels=range(5)),
    }
    for averaging in ("macro", "micro"):
        name = averaging + "{}"
        expected[name.format("Precision")] = sk.precision_score(targets, decided, average=averaging, zero_division=0)
        expected[name.format("Recall")] = sk.recall_score(targets, decided, average=averaging, zero_division=0)
        expected[name.format("F1")] = sk.f1_score(targets, decided, average=averaging, zero_division=0)
    matrix = sk.confusion_matrix(targets, decided, labels=range(5))
    return {
        "predictions": scores.tolist(),
        "targets": targets.tolist(),
        "expected": expected,
        "matrix": matrix.tolist(),
    }


def binary():
    """Logits of one decimal, so that many are equal."""
    targets = rng.integers(0, 2, size=90)
    logits = np.round(rng.normal(size=90) + 0.8 * targets - 0.4, 1).astype(np.float32)
    decided = (logits > 0).astype(int)
    return {
        "predictions": logits.tolist(),
        "targets": targets.tolist(),
        "expected": {
            "accuracy": sk.accuracy_score(targets, decided),
            "auc": sk.roc_auc_score(targets, logits),
            "precision": sk.precision_score(targets, decided),
            "recall": sk.recall_score(targets, decided),
            "f1": sk.f1_score(targets, decided),
        },
    }


def regression():
    """Two outputs far from zero, where a careless variance loses its digits."""
    targets = rng.normal(size=(70, 2)) * [1.0, 30.0] + [1e6, 5.0]
    predictions = targets + rng.normal(size=(70, 2)) * [0.5, 3.0]
    return {
        "predictions": predictions.tolist(),
        "targets": targets.tolist(),
        "expected": {
            "mae": sk.mean_absolute_error(targets, predictions),
            "rmse": float(np.sqrt(np.mean((targets - predictions) ** 2))),
            "r2": sk.r2_score(targets, predictions),
        },
    }


with open(sys.argv[1], "w") as out:
    json.dump({"classes": classes(), "binary": binary(), "regression": regression()}, out)
    out.write("\n")
