package dev.tutti.strategy;

import static dev.tutti.loss.Losses.mse;
import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.nn.Layers.batchNorm;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.optim.Optimizers.sgd;
import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.strategy.Strategies.averaging;
import static dev.tutti.strategy.TestingCluster.killing;
import static dev.tutti.strategy.averaging.Weights.locallyWeighted;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.checkpoint;
import static dev.tutti.train.callback.Callbacks.earlyStopping;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Sequential;
import dev.tutti.strategy.Members.Result;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is special to one member (its size, its data, its part in the run) is no trouble to the others. */
@Timeout(120)
class SurvivorsTest {
    private static void assertSame(Collection<Result> results) {
        assertThat(results.stream().map(Result::weights).distinct())
                .as("the same bits on all members")
                .hasSize(1);
    }

    // ---- a share of a single row has no variance

    private static Trainer normalising() {
        return Trainer.of(
                        Sequential.of(dense(8), batchNorm().tanh(), dense(Blobs.CLASSES)),
                        sgd(0.05),
                        softmaxCrossEntropy())
                .cores(1);
    }

    @ParameterizedTest
    @CsvSource({"27, 1, 2", "31, 2, 1", "31, 2, 2", "29, 3, 1"})
    void aSingleRowIsNormalisedByTheRunningStatistics(int rows, int members, int threads) {
        Dataset data = Blobs.data(rows).batch(12);
        for (Strategy strategy : List.of(allReduce(), averaging().everySteps(1))) {
            Map<String, Result> results = new TestingCluster(members)
                    .threads(threads)
                    .run(place ->
                            Result.of(normalising(), data, epochs(2).on(place).with(strategy)));
            assertThat(results).hasSize(members);
            assertSame(results.values());
        }
    }

    // ---- members of different sizes

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void membersMayHaveDifferentNumbersOfWorkers(int machines) {
        Dataset data = Blobs.data(96).batch(24);
        Map<String, NdArray> one;
        try (Trainer trainer = clipping()) {
            trainer.fit(data, epochs(10));
            one = trainer.model().arrays();
        }
        Map<String, Result> results = new TestingCluster(2)
                .machines(machines)
                .threadsOf(member -> member.equals("worker-0") ? 1 : 3)
                .run(place -> Result.of(clipping(), data, epochs(10).on(place).with(allReduce())));
        assertThat(results).hasSize(2);
        Weights.assertClose(Weights.ofAll(List.copyOf(results.values())), one, 1e-5);
    }

    private static Trainer clipping() {
        return Trainer.of(
                        Sequential.of(dense(33).tanh(), dense(Blobs.CLASSES)),
                        adam(0.01).clipNorm(0.05),
                        softmaxCrossEntropy())
                .cores(1);
    }

    // ---- whoever follows the chief

    /** Nothing is learned, so nothing improves: training ends when patience does, whoever is the chief by then. */
    @Test
    void theNextChiefRemembersWhatTheFirstOneSaw() {
        Dataset data = Blobs.data(48).batch(12);
        TestingCluster cluster = new TestingCluster(2, killing("worker-0", "before tally", 10));
        Map<String, Result> results = cluster.run(place -> Result.of(
                Trainer.of(Sequential.of(dense(Blobs.CLASSES)), sgd(1e-30), softmaxCrossEntropy())
                        .metrics(accuracy())
                        .cores(1),
                data,
                epochs(30).on(place).with(allReduce()).callbacks(earlyStopping("accuracy", 4))));
        assertThat(results).containsOnlyKeys("worker-1");
        History history = results.get("worker-1").history();
        assertThat(history.reason().orElseThrow()).contains("has not improved for 4 epochs");
        assertThat(history.epochs()).hasSize(5);
    }

    /** The first chief freezes a layer, then somebody who knows nothing of it takes its rank. */
    @Test
    void whatIsFrozenIsPartOfTheState(@TempDir Path folder) {
        Dataset data = Blobs.data(48).batch(12);
        Callback freezing = new Callback() {
            @Override
            public void step(Run run) {
                if (run.step() == 2) {
                    run.model().freeze("dense1");
                }
                if (run.step() == 6) {
                    run.stop("cut");
                }
            }
        };
        Fit fit = epochs(3).with(allReduce());
        List<Result> cut = Members.of(2).fit(Blobs::trainer, data, fit.callbacks(freezing, checkpoint(folder)));
        List<Result> resumed = Members.of(2).fit(Blobs::trainer, data, fit.resume(folder));
        assertThat(resumed.get(0).weights().get("dense1.weight"))
                .isEqualTo(cut.get(0).weights().get("dense1.weight"));
        assertThat(resumed.get(0).weights().get("dense2.weight"))
                .isNotEqualTo(cut.get(0).weights().get("dense2.weight"));
    }

    // ---- interruptions

    @Test
    void whereOneMemberIsInterruptedAllAre() {
        Dataset data = Blobs.data(96).batch(12);
        for (Strategy strategy : List.of(allReduce(), averaging().everySteps(2))) {
            AtomicInteger steps = new AtomicInteger();
            TestingCluster cluster = new TestingCluster(2, (member, at) -> {
                if (member.equals("worker-1") && at.equals("check")) {
                    steps.incrementAndGet();
                }
            });
            AtomicInteger seats = new AtomicInteger();
            Map<String, Result> results = cluster.run(place -> {
                Fit fit = epochs(50).on(place).with(strategy);
                boolean one = seats.getAndIncrement() == 0;
                return Result.of(Blobs.trainer(), data, one ? fit.until(() -> steps.get() > 20) : fit);
            });
            assertThat(results.values())
                    .extracting(result -> result.history().ending())
                    .containsOnly(History.Ending.INTERRUPTED);
        }
    }

    // ---- checkpoints where members agree now and then

    @Test
    void checkpointsAreSavedWhereStepsComeInRounds(@TempDir Path folder) {
        Dataset data = Blobs.data(240).batch(12);
        Members.of(2)
                .fit(
                        Blobs::trainer,
                        data,
                        epochs(1)
                                .with(averaging().everySteps(4))
                                .callbacks(checkpoint(folder).everySteps(6).keep(9)));
        assertThat(folder)
                .isDirectoryContaining(file -> file.toString().endsWith("step-000000008.safetensors"))
                .isDirectoryContaining(file -> file.toString().endsWith("step-000000012.safetensors"));
    }

    // ---- a model that went astray

    /** One member's rows lead nowhere, the other's to infinity; that one's loss was sound before the step. */
    @Test
    void aModelThatIsNotFiniteCountsNothing() {
        int rows = 8;
        float[] features = new float[rows];
        float[] labels = new float[rows];
        for (int row = rows / 2; row < rows; row++) {
            features[row] = 1;
            labels[row] = 5;
        }
        Dataset data = Dataset.of(NdArray.of(features, rows, 1), NdArray.of(labels, rows, 1))
                .batch(rows);
        for (double distance : new double[] {0, 1}) {
            Map<String, Result> results = new TestingCluster(2)
                    .run(place -> Result.of(
                            Trainer.of(Sequential.of(dense(1)), sgd(3e38), mse())
                                    .cores(1),
                            data,
                            epochs(1)
                                    .on(place)
                                    .with(averaging()
                                            .everySteps(1)
                                            .weights(locallyWeighted()
                                                    .distance(distance)
                                                    .labels(false)))));
            assertThat(results).hasSize(2);
            results.values()
                    .forEach(result -> result.weights().values().forEach(array -> {
                        for (int i = 0; i < array.size(); i++) {
                            assertThat(array.at(i)).isFinite();
                        }
                    }));
        }
    }
}
