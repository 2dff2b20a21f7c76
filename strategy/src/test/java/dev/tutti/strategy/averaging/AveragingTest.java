package dev.tutti.strategy.averaging;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.batchNorm;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.optim.Optimizers.sgd;
import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.strategy.Strategies.averaging;
import static dev.tutti.strategy.averaging.OuterOptimizer.nesterov;
import static dev.tutti.strategy.averaging.Weights.bySamples;
import static dev.tutti.strategy.averaging.Weights.locallyWeighted;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.checkpoint;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizer;
import dev.tutti.strategy.Blobs;
import dev.tutti.strategy.Members.Result;
import dev.tutti.strategy.TestingCluster;
import dev.tutti.strategy.Weights;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Fit;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Members that average their models: what is exact, and how near the rest comes. */
@Timeout(120)
class AveragingTest {
    private static Trainer trainer(Optimizer optimizer) {
        return Trainer.of(Sequential.of(dense(8).tanh(), dense(Blobs.CLASSES)), optimizer, softmaxCrossEntropy())
                .cores(1);
    }

    private static Map<String, Result> run(
            TestingCluster cluster, Optimizer optimizer, Dataset data, int epochs, Strategy strategy) {
        return cluster.run(place ->
                Result.of(trainer(optimizer), data, epochs(epochs).on(place).with(strategy)));
    }

    @Test
    void oneMemberIsTrainingOnOneMachineBitForBit() {
        Dataset data = Blobs.data(100).shuffle(3).batch(24);
        Map<String, NdArray> local = Blobs.weightsAfter(data, epochs(3));
        for (Averaging strategy : List.of(
                averaging().everySteps(1),
                averaging().everySteps(3),
                averaging(),
                averaging().everyEpoch(),
                averaging().weights(locallyWeighted().features(true)))) {
            assertThat(Blobs.weightsAfter(data, epochs(3).with(strategy)))
                    .as(strategy.toString())
                    .isEqualTo(local);
        }
        Dataset dropping = data.dropLast();
        assertThat(Blobs.weightsAfter(dropping, epochs(3).with(averaging().everySteps(2))))
                .isEqualTo(Blobs.weightsAfter(dropping, epochs(3)));
    }

    @Test
    void everyStepOfPlainDescentIsThatOfOneMachineWithTheWholeBatch() {
        Dataset data = Blobs.data(100).shuffle(3).batch(24);
        Map<String, NdArray> one =
                Result.of(trainer(sgd(0.1)), data, epochs(20)).weights();
        for (int members = 2; members <= 4; members++) {
            Map<String, Result> several = run(
                    new TestingCluster(members),
                    sgd(0.1),
                    data,
                    20,
                    averaging().everySteps(1).weights(bySamples()));
            assertThat(several).hasSize(members);
            several.forEach((member, result) -> assertClose(result.weights(), one));
            assertThat(several.get("worker-0").history().epochs().get(19).steps())
                    .isEqualTo(100);
        }
    }

    @Test
    void membersHaveTheSameBitsAndUseEveryChunkOnce() {
        Dataset data = Blobs.data(250).shuffle(5).batch(12);
        for (Averaging strategy : List.of(
                averaging().everySteps(4),
                averaging().everyEpoch().weights(bySamples()),
                averaging().everySteps(3).outer(nesterov(0.7, 0.9)).averageOptimizerState(),
                averaging().everySteps(2).weights(locallyWeighted().features(true)))) {
            TestingCluster cluster = new TestingCluster(3);
            Map<String, Result> results = run(cluster, adam(0.01), data, 2, strategy);
            assertThat(results).hasSize(3);
            assertSame(results);
            for (int epoch = 0; epoch < 2; epoch++) {
                assertThat(cluster.used(epoch)).as(strategy.toString()).hasSize(cluster.chunks(epoch));
                EpochResult result = results.get("worker-0").history().epochs().get(epoch);
                assertThat(result.training().samples()).isEqualTo(250);
            }
            long steps = results.get("worker-0").history().epochs().get(1).steps();
            assertThat(steps).as("about as on one machine").isBetween(36L, 52L);
        }
    }

    @Test
    void runningStatisticsAreAveragedAndFrozenParametersStay() {
        Dataset data = Blobs.data(120).shuffle(5).batch(12);
        Map<String, List<Map<String, NdArray>>> results = new TestingCluster(3).run(place -> {
            try (Trainer trainer = Trainer.of(
                            Sequential.of(dense(8), batchNorm(), dense(8).tanh(), dense(Blobs.CLASSES)),
                            sgd(0.1),
                            softmaxCrossEntropy())
                    .cores(1)) {
                trainer.build(data).freeze("dense2");
                Map<String, NdArray> before = trainer.model().arrays();
                trainer.fit(
                        data, epochs(2).on(place).with(averaging().everySteps(2).outer(nesterov(0.7, 0.9))));
                return List.of(before, trainer.model().arrays());
            }
        });
        Map<String, NdArray> before = results.get("worker-0").get(0);
        Map<String, NdArray> after = results.get("worker-0").get(1);
        assertThat(results.values().stream().map(each -> each.get(1)).distinct())
                .hasSize(1);
        assertThat(after.get("dense2.weight")).isEqualTo(before.get("dense2.weight"));
        assertThat(after.get("dense1.weight")).isNotEqualTo(before.get("dense1.weight"));
        after.forEach((name, array) -> {
            if (name.contains("running")) {
                assertThat(array).as(name).isNotEqualTo(before.get(name));
            }
        });
    }

    @Test
    void comesNearToAllReduceWithFarLessTraffic() {
        Dataset data = Blobs.data(1200).shuffle(5).batch(12);
        Dataset fresh = Blobs.data(600).batch(100);
        TestingCluster everyStep = new TestingCluster(2);
        double reference = loss(everyStep, data, fresh, allReduce());
        TestingCluster seldom = new TestingCluster(2);
        double averaged = loss(seldom, data, fresh, averaging().everySteps(25).weights(bySamples()));
        TestingCluster diloco = new TestingCluster(2);
        double outer = loss(diloco, data, fresh, averaging().everySteps(25).outer(nesterov(0.7, 0.5)));
        double untrained = Math.log(Blobs.CLASSES);
        assertThat(averaged).isCloseTo(reference, within(0.05 * untrained));
        assertThat(outer).isCloseTo(reference, within(0.05 * untrained));
        assertThat((double) everyStep.traffic("worker-0").sent()
                        / seldom.traffic("worker-0").sent())
                .isBetween(10.0, 100.0);
        assertThat((double) everyStep.traffic("worker-0").sent()
                        / diloco.traffic("worker-0").sent())
                .isBetween(10.0, 100.0);
    }

    private static double loss(TestingCluster cluster, Dataset data, Dataset fresh, Strategy strategy) {
        return cluster.run(place -> {
                    try (Trainer trainer = trainer(sgd(0.1))) {
                        trainer.fit(data, epochs(3).on(place).with(strategy));
                        return trainer.evaluate(fresh).loss();
                    }
                })
                .get("worker-0");
    }

    @Test
    void goesOnFromACheckpointInTheMiddleOfAnEpoch(@TempDir Path folder) {
        Dataset data = Blobs.data(250).shuffle(5).batch(12);
        Averaging strategy = averaging().everySteps(4).outer(nesterov(0.7, 0.9));
        Map<String, NdArray> expected =
                Result.of(trainer(adam(0.01)), data, epochs(3).with(strategy)).weights();
        Fit fit = epochs(3).with(strategy);
        Result.of(trainer(adam(0.01)), data, fit.callbacks(stopAt(29), checkpoint(folder)));
        Result resumed = Result.of(trainer(adam(0.01)), data, fit.resume(folder));
        assertThat(resumed.weights()).isEqualTo(expected);
        assertThat(resumed.history().epochs().get(1).training().samples()).isEqualTo(250);
    }

    @Test
    void othersThanBeforeGoOnFromACheckpoint(@TempDir Path folder) {
        Dataset data = Blobs.data(250).shuffle(5).batch(12);
        Averaging strategy = averaging().everySteps(2).outer(nesterov(0.7, 0.9));
        new TestingCluster(3)
                .run(place -> Result.of(
                        trainer(adam(0.01)),
                        data,
                        epochs(2).on(place).with(strategy).callbacks(stopAt(9), checkpoint(folder))));
        TestingCluster two = new TestingCluster(2);
        Map<String, Result> results = two.run(place -> Result.of(
                trainer(adam(0.01)), data, epochs(2).on(place).with(strategy).resume(folder)));
        assertSame(results);
        assertThat(two.used(0)).containsValue("a run before").hasSize(two.chunks(0));
        for (EpochResult epoch : results.get("worker-0").history().epochs()) {
            assertThat(epoch.training().samples()).isEqualTo(250);
        }
    }

    @Test
    void whatTheChiefFreezesOnTheWayStaysForAllAndNoChunkIsLost() {
        Dataset data = Blobs.data(250).shuffle(5).batch(12);
        Callback freezing = new Callback() {
            @Override
            public void step(Run run) {
                run.model().freeze("dense1.weight");
            }
        };
        TestingCluster cluster = new TestingCluster(2);
        Map<String, Result> results = cluster.run(place -> Result.of(
                trainer(adam(0.01)),
                data,
                epochs(1).on(place).with(averaging().everySteps(2)).callbacks(freezing)));
        assertSame(results);
        assertThat(results.get("worker-0").history().epochs().get(0).training().samples())
                .isEqualTo(250);
        assertThat(cluster.used(0)).hasSize(cluster.chunks(0));
    }

    private static Callback stopAt(int step) {
        return new Callback() {
            @Override
            public void step(Run run) {
                if (run.step() >= step) {
                    run.stop("cut");
                }
            }
        };
    }

    @Test
    void averagesOfMovingAveragesAreTheSameOnAllMembers() {
        Dataset data = Blobs.data(250).shuffle(5).batch(12);
        Map<String, Map<String, NdArray>> results = new TestingCluster(2)
                .run(place -> Result.of(
                                trainer(sgd(0.1)).movingAverage(0.9),
                                data,
                                epochs(2).on(place).with(averaging().everySteps(4)))
                        .weights());
        assertThat(results.get("worker-0")).isEqualTo(results.get("worker-1"));
    }

    @Test
    void severalBatchesMakeAStep() {
        Map<String, NdArray> one = Blobs.weightsAfter(Blobs.data(100).batch(24), epochs(4));
        Dataset small = Blobs.data(100).batch(6);
        for (int steps : new int[] {1, 2, 3}) {
            Fit fit = epochs(4).with(averaging().everySteps(steps)).accumulate(4);
            assertClose(Blobs.weightsAfter(small, fit), one);
        }
        TestingCluster cluster = new TestingCluster(3);
        Map<String, Result> several = cluster.run(place -> Result.of(
                trainer(adam(0.01)),
                small,
                epochs(2).on(place).with(averaging().everySteps(2)).accumulate(4)));
        assertSame(several);
        assertThat(cluster.used(1)).hasSize(cluster.chunks(1));
        assertThat(several.get("worker-2").history().epochs().get(1).training().samples())
                .isEqualTo(100);
    }

    @Test
    void workersOnThreadsShareAMembersBatch() {
        Dataset data = Blobs.data(250).shuffle(5).batch(12);
        Map<String, NdArray> one = Blobs.weightsAfter(data, epochs(2));
        assertClose(Blobs.weightsAfter(data, epochs(2).on(Launcher.threads(3)).with(averaging())), one);
    }

    private static void assertSame(Map<String, Result> results) {
        Weights.ofAll(List.copyOf(results.values()));
    }

    private static void assertClose(Map<String, NdArray> actual, Map<String, NdArray> expected) {
        Weights.assertClose(actual, expected, 1e-5);
    }
}
