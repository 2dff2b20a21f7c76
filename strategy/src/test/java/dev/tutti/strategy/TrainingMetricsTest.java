package dev.tutti.strategy;

import static dev.tutti.loss.Losses.mse;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.sgd;
import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.strategy.Strategies.averaging;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.checkpoint;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.json.Json;
import dev.tutti.metric.Metric;
import dev.tutti.metric.MetricState;
import dev.tutti.nn.Sequential;
import dev.tutti.strategy.Members.Result;
import dev.tutti.strategy.TestingCluster.Killed;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is measured while training counts every row once in each epoch, whoever was lost on the way. */
@Timeout(120)
class TrainingMetricsTest {
    private static final int ROWS = 93;
    private static final int EPOCHS = 2;

    @BeforeAll
    static void register() {
        Json.register(OncePerEpoch.class, "oncePerEpoch");
    }

    /** How many rows were seen exactly once: all of them, if all is well. Labels are the rows' numbers. */
    static final class OncePerEpoch implements Metric {
        @Override
        public String name() {
            return "once";
        }

        @Override
        public MetricState newState() {
            return new State();
        }

        private static final class State implements MetricState {
            private long[] times = new long[ROWS];

            @Override
            public void update(NdArray predictions, NdArray targets) {
                for (int i = 0; i < targets.size(); i++) {
                    times[(int) Math.round(targets.at(i) * ROWS)]++;
                }
            }

            @Override
            public void merge(MetricState other) {
                for (int i = 0; i < ROWS; i++) {
                    times[i] += ((State) other).times[i];
                }
            }

            @Override
            public double value() {
                long once = 0;
                for (long each : times) {
                    once += each == 1 ? 1 : 0;
                }
                return once;
            }

            /** Without zeros, so that they are more numbers than travel in one message. */
            @Override
            public NdArray snapshot() {
                return NdArray.of(LongStream.of(times).map(each -> each + 1).toArray(), ROWS);
            }

            @Override
            public void restore(NdArray snapshot) {
                times = LongStream.of(snapshot.longs()).map(each -> each - 1).toArray();
            }
        }
    }

    private static Dataset data() {
        float[] numbers = new float[ROWS];
        for (int row = 0; row < ROWS; row++) {
            numbers[row] = (float) row / ROWS;
        }
        return Dataset.of(NdArray.of(numbers, ROWS, 1), NdArray.of(numbers, ROWS, 1))
                .shuffle(3)
                .batch(12);
    }

    private static Trainer trainer() {
        return Trainer.of(Sequential.of(dense(1)), sgd(0.01), mse())
                .metrics(new OncePerEpoch())
                .cores(1);
    }

    private static Stream<Strategy> strategies() {
        return Stream.of(
                allReduce(),
                allReduce().shardedState(),
                averaging().everySteps(2),
                averaging().everyEpoch());
    }

    @Test
    void countEveryRowOfAllMembers() {
        strategies()
                .forEach(strategy -> assertAllCounted(new TestingCluster(3)
                        .run(place -> Result.of(
                                trainer(), data(), epochs(EPOCHS).on(place).with(strategy)))
                        .values()));
    }

    @ParameterizedTest
    @CsvSource({
        "check, 4",
        "before tally, 3",
        "after tally, 3",
        "before metrics, 3",
        "after metrics, 3",
        "after metrics: all, 2",
        "before gradients, 4",
        "after gradients, 4",
        "before memory for gradients, 1",
        "before readers of gradients, 4",
        "before release of gradients, 4",
        "after release of gradients, 4",
        "after parameters, 2",
    })
    void outliveTheMemberThatMeasured(String point, int time) {
        AtomicInteger struck = new AtomicInteger();
        for (Strategy strategy : List.of(allReduce(), averaging().everySteps(1))) {
            AtomicInteger times = new AtomicInteger();
            TestingCluster cluster = new TestingCluster(3, (member, at) -> {
                if (member.equals("worker-1") && at.equals(point) && times.incrementAndGet() == time) {
                    struck.incrementAndGet();
                    throw new Killed();
                }
            });
            assertAllCounted(cluster.run(place -> Result.of(
                            trainer(), data(), epochs(EPOCHS).on(place).with(strategy)))
                    .values());
        }
        assertThat(struck)
                .as("a point that at least one of the strategies comes to")
                .hasPositiveValue();
    }

    @Test
    void goOnInTheMiddleOfAnEpoch(@TempDir Path folder) {
        Fit fit = epochs(EPOCHS).with(allReduce());
        Members.of(3)
                .fit(
                        TrainingMetricsTest::trainer,
                        data(),
                        fit.callbacks(checkpoint(folder).everySteps(3), stopAt(3)));
        assertAllCounted(Members.of(2).fit(TrainingMetricsTest::trainer, data(), fit.resume(folder)));
    }

    private static Callback stopAt(long step) {
        return new Callback() {
            @Override
            public void step(Run run) {
                if (run.step() == step) {
                    run.stop("cut");
                }
            }
        };
    }

    private static void assertAllCounted(Collection<Result> results) {
        assertThat(results).isNotEmpty();
        for (Result result : results) {
            List<EpochResult> done = result.history().epochs();
            assertThat(done).hasSize(EPOCHS);
            assertThat(done).extracting(epoch -> epoch.training().metrics()).containsOnly(Map.of("once", (double)
                    ROWS));
        }
    }
}
