package dev.tutti.nn;

import java.nio.file.Path;

/** The layers, to be imported statically: {@code Sequential.of(conv2d(32, 3).relu(), flatten(), dense(10))}. */
public final class Layers {
    private Layers() {}

    public static Dense dense(int units) {
        return new Dense(units);
    }

    public static Conv2d conv2d(int filters, int kernel) {
        return new Conv2d(filters, kernel, kernel);
    }

    public static Conv2d conv2d(int filters, int height, int width) {
        return new Conv2d(filters, height, width);
    }

    public static MaxPool2d maxPool2d(int size) {
        return new MaxPool2d(size);
    }

    public static Flatten flatten() {
        return new Flatten();
    }

    public static Dropout dropout(double rate) {
        return new Dropout(rate);
    }

    /** A model written in Python and saved with {@code torch.jit.save}, trainable here. */
    public static TorchScript torchScript(Path file) {
        return new TorchScript(file);
    }
}
