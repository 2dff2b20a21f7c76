package dev.tutti.serve.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.serve.ServeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DynamicBatcherTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    /** Doubles numbers; a negative one is an error; waits for the gate. */
    private static final class Doubling implements BatchFunction {
        private final CountDownLatch gate;
        private final CountDownLatch begun = new CountDownLatch(1);
        private final ConcurrentLinkedQueue<Integer> sizes = new ConcurrentLinkedQueue<>();

        Doubling(boolean open) {
            gate = new CountDownLatch(open ? 0 : 1);
        }

        @Override
        public List<NdArray> apply(List<NdArray> inputs) {
            begun.countDown();
            try {
                gate.await(20, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            float[] in = inputs.get(0).floats();
            sizes.add(in.length);
            float[] out = new float[in.length];
            for (int i = 0; i < in.length; i++) {
                if (in[i] < 0) {
                    throw ServeException.invalid("negative");
                }
                out[i] = 2 * in[i];
            }
            return List.of(NdArray.of(out, in.length, 1));
        }
    }

    private static List<NdArray> rows(float... numbers) {
        return List.of(NdArray.of(numbers, numbers.length, 1));
    }

    private static DynamicBatcher batcher(BatchingSettings settings, BatchFunction function) {
        return new DynamicBatcher("test", settings, List.of(function), BatchListener.NONE);
    }

    @Test
    void whatWaitsTogetherIsComputedTogetherAndEachGetsItsOwnRows() throws Exception {
        Doubling doubling = new Doubling(false);
        try (DynamicBatcher batcher = batcher(BatchingSettings.DEFAULT.maxRows(8), doubling)) {
            CompletableFuture<List<NdArray>> first = batcher.submit(rows(1), LONG);
            doubling.begun.await();
            List<CompletableFuture<List<NdArray>>> others = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                others.add(batcher.submit(rows(10 * i, 10 * i + 1), LONG));
            }
            doubling.gate.countDown();
            assertThat(first.get(20, TimeUnit.SECONDS).get(0).floats()).containsExactly(2);
            for (int i = 0; i < 5; i++) {
                assertThat(others.get(i).get(20, TimeUnit.SECONDS).get(0).floats())
                        .containsExactly(20 * i, 20 * i + 2);
            }
            assertThat(doubling.sizes).containsExactly(1, 8, 2);
        }
    }

    @Test
    void aRequestThatIsAloneDoesNotWaitForOthers() throws Exception {
        try (DynamicBatcher batcher =
                batcher(BatchingSettings.DEFAULT.maxDelay(Duration.ofSeconds(10)), new Doubling(true))) {
            for (int i = 0; i < 20; i++) {
                assertThat(batcher.submit(rows(i), LONG)
                                .get(5, TimeUnit.SECONDS)
                                .get(0)
                                .floats())
                        .containsExactly(2 * i);
            }
        }
    }

    @Test
    void aFullQueueRefusesAtOnceAndSaysWhenToComeBack() throws Exception {
        Doubling doubling = new Doubling(false);
        try (DynamicBatcher batcher = batcher(BatchingSettings.DEFAULT.queueRows(3), doubling)) {
            CompletableFuture<List<NdArray>> first = batcher.submit(rows(1), LONG);
            doubling.begun.await();
            CompletableFuture<List<NdArray>> waiting = batcher.submit(rows(1, 2, 3), LONG);
            assertThatThrownBy(() -> batcher.submit(rows(4), LONG))
                    .isInstanceOfSatisfying(ServeException.class, e -> {
                        assertThat(e.reason()).isEqualTo(ServeException.Reason.OVERLOADED);
                        assertThat(e.retrySeconds()).isPositive();
                    })
                    .hasMessageContaining("3 rows wait");
            doubling.gate.countDown();
            first.get(20, TimeUnit.SECONDS);
            assertThat(waiting.get(20, TimeUnit.SECONDS).get(0).size()).isEqualTo(3);
        }
    }

    @Test
    void cancelledAndLateRequestsAreNotComputed() throws Exception {
        Doubling doubling = new Doubling(false);
        try (DynamicBatcher batcher = batcher(BatchingSettings.DEFAULT, doubling)) {
            CompletableFuture<List<NdArray>> first = batcher.submit(rows(1), LONG);
            doubling.begun.await();
            CompletableFuture<List<NdArray>> cancelled = batcher.submit(rows(2), LONG);
            CompletableFuture<List<NdArray>> late = batcher.submit(rows(3), Duration.ofMillis(1));
            CompletableFuture<List<NdArray>> fine = batcher.submit(rows(4), LONG);
            cancelled.cancel(false);
            Thread.sleep(20);
            doubling.gate.countDown();
            first.get(20, TimeUnit.SECONDS);
            assertThat(fine.get(20, TimeUnit.SECONDS).get(0).floats()).containsExactly(8);
            assertThatThrownBy(() -> late.get(20, TimeUnit.SECONDS)).hasMessageContaining("deadline");
            assertThat(doubling.sizes).containsExactly(1, 1);
            assertThat(batcher.queuedRows()).isZero();
        }
    }

    @Test
    void oneRequestAtFaultDoesNotFailThoseBesideIt() throws Exception {
        Doubling doubling = new Doubling(false);
        try (DynamicBatcher batcher = batcher(BatchingSettings.DEFAULT, doubling)) {
            CompletableFuture<List<NdArray>> first = batcher.submit(rows(1), LONG);
            doubling.begun.await();
            CompletableFuture<List<NdArray>> bad = batcher.submit(rows(-1), LONG);
            CompletableFuture<List<NdArray>> good = batcher.submit(rows(5), LONG);
            doubling.gate.countDown();
            first.get(20, TimeUnit.SECONDS);
            assertThat(good.get(20, TimeUnit.SECONDS).get(0).floats()).containsExactly(10);
            assertThatThrownBy(() -> bad.get(20, TimeUnit.SECONDS)).hasMessageContaining("negative");
        }
    }

    @Test
    void aRequestLargerThanABatchIsComputedInPieces() throws Exception {
        Doubling doubling = new Doubling(true);
        try (DynamicBatcher batcher = batcher(BatchingSettings.DEFAULT.maxRows(4), doubling)) {
            float[] numbers = new float[10];
            for (int i = 0; i < 10; i++) {
                numbers[i] = i;
            }
            NdArray answer = batcher.submit(rows(numbers), LONG)
                    .get(20, TimeUnit.SECONDS)
                    .get(0);
            assertThat(answer.floats()).containsExactly(0, 2, 4, 6, 8, 10, 12, 14, 16, 18);
            assertThat(doubling.sizes).containsExactly(4, 4, 2);
        }
    }

    @Test
    void closingFailsWhatWaitsAndRefusesMore() throws Exception {
        Doubling doubling = new Doubling(false);
        DynamicBatcher batcher = batcher(BatchingSettings.DEFAULT, doubling);
        CompletableFuture<List<NdArray>> first = batcher.submit(rows(1), LONG);
        doubling.begun.await();
        CompletableFuture<List<NdArray>> waiting = batcher.submit(rows(2), LONG);
        doubling.gate.countDown();
        batcher.close();
        assertThat(first).isCompleted();
        assertThat(waiting).isDone();
        assertThatThrownBy(() -> batcher.submit(rows(3), LONG)).isInstanceOf(ServeException.class);
    }
}
