"""The engine workloads in TensorFlow.

As users write it: a compiled Keras model and `train_on_batch`, which was never slower than `fit` on a tf.data
pipeline of the same arrays (compile makes a tf.function of it, so it is no straw man).
--tuned follows TensorFlow's guide: one tf.function around the whole training step, without XLA.
"""

import argparse
import itertools
import os

import contender

answers = contender.own_standard_output()
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

from engine_tensorflow_models import cnn, mlp

BATCHES = 8  # different batches kept in memory and taken in turn


def lstm():
    return keras.Sequential([keras.Input((64, 64)), layers.LSTM(256), layers.Dense(10)])


def transformer():
    tokens = keras.Input((64,), dtype="int32")
    x = layers.Embedding(128, 128)(tokens)
    for _ in range(2):
        y = layers.LayerNormalization(epsilon=1e-5)(x)
        x = x + layers.MultiHeadAttention(4, 32)(y, y)
        y = layers.LayerNormalization(epsilon=1e-5)(x)
        x = x + layers.Dense(128)(layers.Dense(512, "relu")(y))
    return keras.Model(tokens, layers.Dense(10)(layers.GlobalAveragePooling1D()(x)))


def batches(batch, inputs, random):
    return [(tf.constant(inputs()), tf.constant(random.integers(0, 10, batch, dtype=np.int32))) for _ in range(BATCHES)]


def as_users_write_it(model, batch, data):
    model.compile(optimizer=keras.optimizers.Adam(1e-3), loss=keras.losses.SparseCategoricalCrossentropy(True))
    turns = itertools.cycle(data)
    return contender.Workload(batch, lambda: model.train_on_batch(*next(turns)))


def tuned(model, batch, data):
    optimizer = keras.optimizers.Adam(1e-3)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    turns = itertools.cycle(data)
    last = None

    @tf.function(jit_compile=False)
    def train(x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True))
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss

    def step():
        nonlocal last
        last = train(*next(turns))

    def finish():
        if not np.isfinite(last.numpy()):
            raise ArithmeticError(f"the loss became {last.numpy()}")

    return contender.Workload(batch, step, finish)


def workloads(make):
    random = np.random.default_rng(7)

    def normal(*shape):
        return lambda: random.standard_normal(shape, dtype=np.float32)

    def tokens():
        return random.integers(0, 128, (32, 64), dtype=np.int32)

    return {
        "mlp": lambda: make(mlp(784, 1024), 256, batches(256, normal(256, 784), random)),
        "cnn": lambda: make(cnn(), 128, batches(128, normal(128, 28, 28, 1), random)),
        "lstm": lambda: make(lstm(), 64, batches(64, normal(64, 64, 64), random)),
        "transformer": lambda: make(transformer(), 32, batches(32, tokens, random)),
        "tiny": lambda: make(mlp(32, 64), 32, batches(32, normal(32, 32), random)),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, required=True, help="compute threads")
    parser.add_argument("--tuned", action="store_true", help="one tf.function around the training step")
    options = parser.parse_args()
    tf.config.threading.set_intra_op_parallelism_threads(options.threads)
    tf.config.threading.set_inter_op_parallelism_threads(options.threads)
    keras.utils.set_random_seed(7)
    contender.serve(answers, workloads(tuned if options.tuned else as_users_write_it))


if __name__ == "__main__":
    main()
