package dev.tutti.data;

import dev.tutti.array.DType;
import dev.tutti.data.source.MnistSource;
import dev.tutti.data.transform.RandomTransform;
import dev.tutti.data.transform.Transform;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.Optional;

/** Measures how fast MNIST is fed, on one thread: run its main with the repository's folder as working directory. */
final class FeedRate {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private FeedRate() {}

    public static void main(String[] args) {
        Path mnist = MnistSource.folder(null, null, Path.of(""));
        Dataset raw =
                Dataset.idx(mnist.resolve("train-images-idx3-ubyte.gz"), mnist.resolve("train-labels-idx1-ubyte.gz"));
        Dataset converted = raw.map(Transform.scale(1 / 255.0, 0))
                .map(Transform.reshape(1, 28, 28))
                .map(Transform.cast(DType.INT64).onLabels());
        measure("Mnist.train()", Mnist.train().shuffle(7).batch(128));
        measure("idx, scale, reshape, cast", converted.shuffle(7).batch(128));
        measure("the same, cached", converted.cache().shuffle(7).batch(128));
        measure(
                "shifted",
                Mnist.train().map(1, RandomTransform.randomShift(2)).shuffle(7).batch(128));
        measure("Mnist.train(), prefetch 2", Mnist.train().shuffle(7).batch(128).prefetch(2));
    }

    private static void measure(String name, Dataset dataset) {
        for (int epoch = 0; epoch < 8; epoch++) {
            long start = System.nanoTime();
            long cpuStart = THREADS.getCurrentThreadCpuTime();
            long rows = read(dataset, epoch);
            double seconds = (System.nanoTime() - start) / 1e9;
            double cpuSeconds = (THREADS.getCurrentThreadCpuTime() - cpuStart) / 1e9;
            System.out.printf(
                    "%-28s epoch %d: %,9.0f samples/s, %,9.0f per second of this thread's CPU%n",
                    name, epoch, rows / seconds, rows / cpuSeconds);
        }
    }

    private static long read(Dataset dataset, int epoch) {
        long rows = 0;
        try (BatchReader reader = dataset.open(epoch)) {
            for (Optional<Batch> next = reader.next(); next.isPresent(); next = reader.next()) {
                Batch batch = next.get();
                rows += batch.size();
            }
        }
        return rows;
    }
}
