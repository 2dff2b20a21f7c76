package dev.tutti.bench.engine;

import dev.tutti.bench.contender.Workload;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Dataset;
import dev.tutti.data.Mnist;

/** Shuffled batches of MNIST as training takes them, read and dropped. */
final class FeedWorkload implements Workload {
    private static final int BATCH = 128;

    private final Dataset data =
            Mnist.train().shuffle(7).batch(BATCH).dropLast().prefetch(2);
    private int epoch;
    private BatchReader reader = data.open(0);

    @Override
    public void step() {
        if (reader.next().isEmpty()) {
            reader.close();
            reader = data.open(++epoch);
            reader.next();
        }
    }

    @Override
    public int batch() {
        return BATCH;
    }

    @Override
    public void close() {
        reader.close();
    }
}
