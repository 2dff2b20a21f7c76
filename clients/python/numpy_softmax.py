"""Takes part with a softmax regression in plain NumPy: python3 numpy_softmax.py ADDRESS SEED

The job's model is one dense layer, 8 numbers in and 4 classes out; the rows are made up from the seed.
"""
import sys

import numpy as np

from tutti_federated import FederatedClient


def main(address, seed):
    draw = np.random.default_rng(int(seed))
    labels = draw.integers(0, 4, 80)
    rows = (0.6 * draw.normal(size=(80, 8)) + (np.arange(8) % 4 == labels[:, None])).astype(np.float32)

    def train(parameters, job, work):
        (weight_name, bias_name) = sorted(parameters, key=lambda name: -parameters[name].ndim)
        weight, bias = parameters[weight_name], parameters[bias_name]
        rate, loss = job["optimizer"]["learningRate"] * work.get("rateFactor", 1), 0.0
        inputs_first = weight.shape[0] == 8
        for _ in range(job.get("epochs", 1)):
            scores = rows @ (weight if inputs_first else weight.T) + bias
            scores -= scores.max(1, keepdims=True)
            chances = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
            loss = float(-np.log(chances[np.arange(80), labels]).mean())
            chances[np.arange(80), labels] -= 1
            gradient = rows.T @ chances / 80
            weight -= rate * (gradient if inputs_first else gradient.T)
            bias -= rate * chances.mean(0)
        return parameters, {"samples": 80, "loss": loss, "steps": job.get("epochs", 1)}

    print(FederatedClient(address, name=f"numpy{seed}", patience=30).run(train), "updates were accepted")


if __name__ == "__main__":
    main(*sys.argv[1:])
