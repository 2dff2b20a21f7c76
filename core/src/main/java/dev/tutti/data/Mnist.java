package dev.tutti.data;

import dev.tutti.data.source.MnistSource;

/**
 * The handwritten digits of MNIST: images as float32 [1, 28, 28] from 0 to 1, labels as int64 from 0 to 9.
 *
 * <p>The files are looked for in the folder {@code mnist} of the system property {@code tutti.datasets}, else of the
 * environment variable {@code TUTTI_DATASETS}, else of the folder {@code datasets} here or in a folder above.
 */
public final class Mnist {
    private Mnist() {}

    /** The 60,000 images to learn from. */
    public static Dataset train() {
        return Dataset.of(new MnistSource(MnistSource.Part.TRAIN));
    }

    /** The 10,000 images to test with. */
    public static Dataset test() {
        return Dataset.of(new MnistSource(MnistSource.Part.TEST));
    }
}
