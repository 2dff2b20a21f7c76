"""The models that are raced with, in Keras."""

from tensorflow import keras
from tensorflow.keras import layers


def mlp(inputs, hidden):
    return keras.Sequential([
        keras.Input((inputs,)), layers.Dense(hidden, "relu"), layers.Dense(hidden, "relu"), layers.Dense(10)])


def cnn():
    return keras.Sequential([
        keras.Input((28, 28, 1)),
        layers.Conv2D(32, 3, padding="same", activation="relu"), layers.MaxPooling2D(2),
        layers.Conv2D(64, 3, padding="same", activation="relu"), layers.MaxPooling2D(2),
        layers.Flatten(), layers.Dense(128, "relu"), layers.Dense(10)])
