package dev.tutti.strategy;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.conv2d;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.nn.Layers.maxPool2d;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Sequential;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Trainings on threads, one after the other in one JVM, do not add up in memory. */
class RepeatedTrainingsTest {
    /** Until then the allocator's arenas of new threads fill: some 50 MB in all, which later trainings use again. */
    private static final int WARM_UP = 20;

    private static final int TRAININGS = 20;
    private static final long ALLOWED_BYTES_EACH = 800_000;

    @Test
    @Timeout(120)
    @EnabledOnOs(OS.LINUX)
    void leaveMemoryFlat() throws IOException {
        for (int i = 0; i < WARM_UP; i++) {
            train();
        }
        long before = nativeBytes();
        for (int i = 0; i < TRAININGS; i++) {
            train();
        }
        assertThat((nativeBytes() - before) / TRAININGS).isLessThan(ALLOWED_BYTES_EACH);
    }

    private static void train() {
        int rows = 128;
        Dataset data = Dataset.of(NdArray.of(new float[rows * 784], rows, 1, 28, 28), NdArray.of(new long[rows], rows))
                .batch(32);
        Sequential model = Sequential.of(
                conv2d(8, 3).relu(), maxPool2d(2), flatten(), dense(64).relu(), dense(10));
        try (Trainer trainer = Trainer.of(model, adam(1e-3), softmaxCrossEntropy())) {
            trainer.fit(data, epochs(1).on(Launcher.threads(2)).with(allReduce()));
        }
    }

    /** What the process holds beside the JVM's own pools. */
    private static long nativeBytes() throws IOException {
        System.gc();
        long pools = ManagementFactory.getMemoryPoolMXBeans().stream()
                .mapToLong(pool -> pool.getUsage().getCommitted())
                .sum();
        String[] statm = Files.readString(Path.of("/proc/self/statm")).split(" ");
        return Long.parseLong(statm[1]) * 4096 - pools;
    }
}
