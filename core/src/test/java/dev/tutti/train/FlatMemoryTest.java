package dev.tutti.train;

import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class FlatMemoryTest {
    private static final int STEPS_PER_EPOCH = 1_000;
    private static final int WARM_UP_EPOCHS = 5;
    private static final int EPOCHS = 20;

    /** A hundred bytes lost a step would show; what the JVM itself needs is not counted. */
    private static final long ALLOWED_BYTES = 100L * (EPOCHS - WARM_UP_EPOCHS) * STEPS_PER_EPOCH + (4L << 20);

    @Test
    @EnabledOnOs(OS.LINUX)
    void twentyThousandStepsLeaveMemoryFlat() {
        long[] beside = new long[EPOCHS];
        Callback gauge = new Callback() {
            @Override
            public void epoch(Run run, EpochResult result) {
                beside[result.epoch() - 1] = nativeBytes();
            }
        };
        try (Trainer trainer = Blobs.trainer()) {
            History history = trainer.fit(
                    Blobs.data(4 * STEPS_PER_EPOCH).batch(4), epochs(EPOCHS).callbacks(gauge));
            assertThat(history.last().steps()).isEqualTo(20_000);
        }
        assertThat(beside[EPOCHS - 1] - beside[WARM_UP_EPOCHS - 1]).isLessThan(ALLOWED_BYTES);
    }

    /** What the process holds beside the JVM's own pools. */
    private static long nativeBytes() {
        System.gc();
        long pools = ManagementFactory.getMemoryPoolMXBeans().stream()
                .map(MemoryPoolMXBean::getUsage)
                .mapToLong(MemoryUsage::getCommitted)
                .sum();
        return residentBytes() - pools;
    }

    private static long residentBytes() {
        try {
            String[] statm = Files.readString(Path.of("/proc/self/statm")).split(" ");
            return Long.parseLong(statm[1]) * 4096;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
