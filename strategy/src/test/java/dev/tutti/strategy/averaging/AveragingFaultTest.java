package dev.tutti.strategy.averaging;

import static dev.tutti.loss.Losses.mse;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.strategy.Strategies.averaging;
import static dev.tutti.strategy.averaging.OuterOptimizer.nesterov;
import static dev.tutti.strategy.averaging.Weights.bySamples;
import static dev.tutti.strategy.averaging.Weights.locallyWeighted;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.NdArray;
import dev.tutti.comm.MemberLostException;
import dev.tutti.data.DataException;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Sequential;
import dev.tutti.strategy.Members.Result;
import dev.tutti.strategy.TestingCluster;
import dev.tutti.strategy.TestingCluster.Killed;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Members that are lost or come, wherever that happens: every sample counts once in an epoch.
 *
 * <p>Each row has a feature of its own, so that a weight has moved if and only if that row was learned from.
 */
@Timeout(120)
class AveragingFaultTest {
    private static final int ROWS = 96;
    private static final int EPOCHS = 2;

    private static Dataset data() {
        float[] features = new float[ROWS * ROWS];
        float[] labels = new float[ROWS];
        for (int row = 0; row < ROWS; row++) {
            features[row * ROWS + row] = 1;
            labels[row] = 5;
        }
        return Dataset.of(NdArray.of(features, ROWS, ROWS), NdArray.of(labels, ROWS, 1))
                .shuffle(3)
                .batch(12);
    }

    private static Trainer trainer() {
        return Trainer.of(Sequential.of(dense(1)), adam(0.001), mse()).cores(1);
    }

    private static Function<Launcher, Result> work(Averaging strategy, int epochs) {
        return place -> Result.of(trainer(), data(), epochs(epochs).on(place).with(strategy));
    }

    @ParameterizedTest
    @CsvSource({
        "check, 3",
        "check, 9",
        "lease, 1",
        "lease, 2",
        "lease, 3",
        "before rows of a chunk, 1",
        "after rows of a chunk, 1",
        "before more and stop, 2",
        "before tally, 1",
        "before tally, 3",
        "after tally, 2",
        "after chunks, 2",
        "before parameters, 1",
        "before parameters, 3",
        "after parameters, 1",
        "after parameters, 3",
        "used, 1",
        "used, 2",
    })
    void aLostMemberCostsNoSample(String point, int time) {
        for (Averaging strategy : List.of(
                averaging().everySteps(2).weights(bySamples()).outer(nesterov(0.7, 0.9)),
                averaging().everyEpoch())) {
            AtomicInteger times = new AtomicInteger();
            TestingCluster cluster = new TestingCluster(3, (member, at) -> {
                if (member.equals("worker-1") && at.equals(point) && times.incrementAndGet() == time) {
                    throw new Killed();
                }
            });
            Map<String, Result> results = cluster.run(work(strategy, EPOCHS));
            boolean lost = times.get() >= time; // an epoch that is a single round has fewer points
            assertThat(lost || strategy.steps() == Integer.MAX_VALUE).isTrue();
            assertThat(results).hasSize(lost ? 2 : 3);
            assertExact(results, EPOCHS);
        }
    }

    @ParameterizedTest
    @CsvSource({"3", "15"})
    void oneThatFailsIsDoneWithout(int rowsOfLast) {
        for (Averaging strategy : List.of(averaging().everySteps(3), averaging().everyEpoch())) {
            AtomicInteger left = new AtomicInteger(rowsOfLast);
            AtomicInteger members = new AtomicInteger();
            Map<String, Result> results = new TestingCluster(3).run(place -> {
                Dataset data = members.getAndIncrement() > 0 ? data() : failingAfter(left);
                try {
                    return Result.of(trainer(), data, epochs(EPOCHS).on(place).with(strategy));
                } catch (DataException e) {
                    assertThat(e).hasCauseInstanceOf(Failed.class);
                    return null;
                }
            });
            boolean failed = left.get() < 0; // others may be quicker to take what there is
            assertThat(failed || rowsOfLast > 3).isTrue();
            assertThat(results).hasSize(failed ? 2 : 3);
            assertExact(results, EPOCHS);
        }
    }

    /** What a disk may do to a member. */
    private static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static Dataset failingAfter(AtomicInteger rows) {
        return data().map(sample -> {
            if (rows.decrementAndGet() < 0) {
                throw new Failed();
            }
            return sample;
        });
    }

    @Test
    void whatOnlyALostMemberHadAgreedToIsDoneAgain() {
        // The second hears that all have given their models, calls its chunks used and is gone; the others never hear
        // of it.
        CountDownLatch said = new CountDownLatch(1);
        Map<String, Integer> rounds = new ConcurrentHashMap<>();
        TestingCluster cluster = new TestingCluster(3, (member, at) -> {
            boolean second = member.equals("worker-1");
            if (at.equals(second ? "used" : "after parameters") && rounds.merge(member, 1, Integer::sum) == 3) {
                if (second) {
                    said.countDown();
                    throw new Killed();
                }
                await(said);
                throw new MemberLostException(List.of("worker-1"), "worker-1 was lost");
            }
        });
        Map<String, Result> results = cluster.run(work(averaging().everySteps(1), 1));
        assertThat(results).hasSize(2);
        assertThat(cluster.used(0)).containsValue("worker-1");
        assertExact(results, 1);
    }

    @Test
    void whoJoinsTakesOverAndSharesTheWork() throws Exception {
        CountDownLatch trained = new CountDownLatch(1);
        CountDownLatch joining = new CountDownLatch(1);
        AtomicInteger tallies = new AtomicInteger();
        TestingCluster cluster = new TestingCluster(2, (member, at) -> {
            if (member.equals("worker-0") && at.equals("after tally") && tallies.incrementAndGet() == 2) {
                trained.countDown();
            }
            if (member.equals("worker-0") && at.equals("check") && tallies.get() == 2) {
                await(joining);
            }
        });
        Averaging strategy = averaging().everySteps(2).outer(nesterov(0.7, 0.9)).weights(locallyWeighted());
        ExecutorService late = Executors.newSingleThreadExecutor();
        try {
            Future<Result> joiner = late.submit(() -> {
                await(trained);
                return cluster.member("worker-7", place -> {
                            joining.countDown();
                            return work(strategy, 6).apply(place);
                        })
                        .call();
            });
            Map<String, Result> results = cluster.run(work(strategy, 6));
            results.put("worker-7", joiner.get(60, TimeUnit.SECONDS));
            assertThat(results).hasSize(3);
            assertExact(results, 6);
            assertThat(cluster.used(5)).containsValue("worker-7");
        } finally {
            late.shutdownNow();
        }
    }

    private static void assertExact(Map<String, Result> results, int epochs) {
        assertThat(results.values().stream().map(Result::weights).distinct())
                .as("the same bits on all members")
                .hasSize(1);
        Result any = results.values().iterator().next();
        List<EpochResult> done = any.history().epochs();
        assertThat(done).hasSize(epochs);
        for (EpochResult epoch : done) {
            assertThat(epoch.training().samples()).as("samples of an epoch").isEqualTo(ROWS);
        }
        NdArray before = untrained().get("dense1.weight");
        NdArray after = any.weights().get("dense1.weight");
        for (int row = 0; row < ROWS; row++) {
            assertThat(after.at(row)).as("row " + row).isNotEqualTo(before.at(row));
        }
    }

    private static Map<String, NdArray> untrained() {
        try (Trainer trainer = trainer()) {
            return trainer.build(data()).arrays();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(30, TimeUnit.SECONDS)) {
                throw new AssertionError("it did not come");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
