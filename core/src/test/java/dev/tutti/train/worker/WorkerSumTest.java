package dev.tutti.train.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkerSumTest {
    private static final int WORKERS = 3;
    private static final int TURNS = 500;

    private final ExecutorService threads = Executors.newFixedThreadPool(WORKERS);

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    @Test
    void everyWorkerGetsTheSumOfAllInEveryTurn() throws Exception {
        AtomicInteger beyond = new AtomicInteger();
        WorkerSum sum = new WorkerSum(total -> {
            beyond.incrementAndGet();
            total.add_(1000);
        });
        sum.begin(WORKERS);
        List<Future<List<Double>>> results = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            int worker = i;
            results.add(threads.submit(() -> {
                List<Double> mine = new ArrayList<>();
                for (int turn = 0; turn < TURNS; turn++) {
                    mine.add(give(sum, worker, Math.pow(10, worker) * (turn % 7)));
                }
                sum.leave();
                return mine;
            }));
        }
        for (Future<List<Double>> result : results) {
            List<Double> got = result.get();
            for (int turn = 0; turn < TURNS; turn++) {
                assertThat(got.get(turn)).isEqualTo(1000 + 111 * (turn % 7));
            }
        }
        assertThat(beyond).as("other members are asked once a turn").hasValue(TURNS);
    }

    @Test
    void whoHasLeftIsNotWaitedFor() throws Exception {
        WorkerSum sum = new WorkerSum(total -> {});
        sum.begin(2);
        AtomicReference<Double> got = new AtomicReference<>();
        Thread waiting = new Thread(() -> got.set(give(sum, 0, 5)));
        waiting.start();
        while (waiting.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        sum.leave();
        waiting.join();
        assertThat(got).hasValue(5.0);
        assertThat(give(sum, 0, 6)).as("there is nobody else any more").isEqualTo(6);
    }

    @Test
    void aFailureLetsTheOthersGo() throws Exception {
        WorkerSum sum = new WorkerSum(total -> {});
        sum.begin(2);
        CountDownLatch begun = new CountDownLatch(1);
        Future<Double> waiting = threads.submit(() -> {
            begun.countDown();
            return give(sum, 1, 5);
        });
        begun.await();
        IllegalStateException first = new IllegalStateException("first");
        sum.fail(first);
        sum.fail(new IllegalStateException("second"));
        waiting.get();
        assertThat(give(sum, 1, 7))
                .as("the pass is lost, nobody waits any more")
                .isEqualTo(7);
        assertThat(sum.failure()).isSameAs(first);

        sum.begin(1);
        assertThat(give(sum, 0, 3)).isEqualTo(3);
        assertThat(sum.failure()).isNull();
    }

    @Test
    void whatFailsBeyondEndsThePassOfAll() throws Exception {
        IllegalStateException failure = new IllegalStateException("beyond");
        WorkerSum sum = new WorkerSum(total -> {
            throw failure;
        });
        sum.begin(2);
        Future<Double> other = threads.submit(() -> give(sum, 1, 5));
        give(sum, 0, 4);
        other.get();
        assertThat(sum.failure()).isSameAs(failure);
    }

    private static double give(WorkerSum sum, int worker, double value) {
        try (Scope scope = Scope.open()) {
            Tensor tensor = Tensor.of(new double[] {value}, 1);
            sum.add(worker, tensor);
            return tensor.item();
        }
    }
}
