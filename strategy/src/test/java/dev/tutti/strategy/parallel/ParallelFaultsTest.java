package dev.tutti.strategy.parallel;

import static dev.tutti.strategy.Strategies.parallel;
import static dev.tutti.strategy.TestingCluster.killing;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.checkpoint;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.strategy.Members;
import dev.tutti.strategy.TestingCluster;
import dev.tutti.strategy.Weights;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Members of a grid are lost, and runs are resumed on other grids. */
@Timeout(120)
class ParallelFaultsTest {
    private static final ParallelModels MODEL = ParallelModels.MLP;
    private static final Dataset DATA = MODEL.data(52).shuffle(3).batch(16);

    private static Map<String, NdArray> alone(Fit fit) {
        try (Trainer one = MODEL.trainer()) {
            one.fit(DATA, fit.with(Strategy.local()));
            return one.model().arrays();
        }
    }

    private static Map<String, NdArray> together(int members, Fit fit) {
        return Members.of(members).fit(MODEL::trainer, DATA, fit).get(0).weights();
    }

    /** What the first member ends with, when others are lost on the way. */
    private static Map<String, NdArray> losing(TestingCluster.Hook hook, int members, Fit fit) {
        return new TestingCluster(members, hook)
                .run(place -> Members.Result.of(MODEL.trainer(), DATA, fit.on(place)))
                .get("worker-0")
                .weights();
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

    @Test
    void aRunIsResumedOnAnotherGrid(@TempDir Path folder) {
        Map<String, NdArray> expected = alone(epochs(3));
        together(
                4,
                epochs(3)
                        .with(parallel().tensor(2).pipeline(2))
                        .callbacks(checkpoint(folder).everySteps(2).keep(1), stopAt(4)));
        Weights.assertClose(
                together(6, epochs(3).with(parallel().data(2).pipeline(3)).resume(folder)), expected, 3e-5);
        Weights.assertClose(
                together(
                        4,
                        epochs(3)
                                .with(parallel().data(2).tensor(2).shardedState())
                                .resume(folder)),
                expected,
                3e-5);
        Weights.assertClose(alone(epochs(3).resume(folder)), expected, 3e-5);
    }

    @Test
    void aCheckpointOfOneMachineIsResumedOnAGrid(@TempDir Path folder) {
        Map<String, NdArray> expected = alone(epochs(3));
        alone(epochs(3).callbacks(checkpoint(folder), stopAt(6)));
        Weights.assertClose(
                together(4, epochs(3).with(parallel().tensor(2).pipeline(2)).resume(folder)), expected, 3e-5);
    }

    /** What was saved in columns is read in rows, and the other way round. */
    @Test
    void partsAreReadAlongAnotherAxis(@TempDir Path folder) {
        Map<String, NdArray> expected = alone(epochs(3));
        together(
                2,
                epochs(3)
                        .with(parallel().tensor(2).split("dense2", "columns").split("dense3", "rows"))
                        .callbacks(checkpoint(folder).everySteps(2).keep(1), stopAt(4)));
        Weights.assertClose(
                together(
                        2,
                        epochs(3)
                                .with(parallel()
                                        .tensor(2)
                                        .split("dense2", "rows")
                                        .split("dense3", "columns"))
                                .resume(folder)),
                expected,
                3e-5);
    }

    /** Worker 3 holds the second stage of the second set; its twin is worker 1. */
    @Test
    void aLostMemberWithATwinCostsNothing() {
        Map<String, NdArray> expected = alone(epochs(3));
        Map<String, NdArray> actual = losing(
                killing("worker-3", "before tally", 5),
                4,
                epochs(3).with(parallel().data(2).pipeline(2)));
        Weights.assertClose(actual, expected, 3e-5);
    }

    /** Of the second of two sets: workers 3, 4 and 5 hold the first, the middle and the last stage. */
    @ParameterizedTest
    @CsvSource({
        "worker-3, send activations",
        "worker-3, receive gradients",
        "worker-3, after tally",
        "worker-4, receive activations",
        "worker-4, receive gradients",
        "worker-4, after tally",
        "worker-5, receive activations",
        "worker-5, send gradients",
        "worker-5, after tally"
    })
    void everyStageMayBeLostForwardBackwardAndInTheUpdate(String member, String point) {
        int time = point.equals("after tally") ? 5 : 13;
        Map<String, NdArray> actual = losing(
                killing(member, point, time),
                6,
                epochs(3).with(parallel().data(2).pipeline(3).microBatches(2)));
        Weights.assertClose(actual, alone(epochs(3)), 3e-5);
    }

    /** Worker 3 holds the second slice of the second set. */
    @ParameterizedTest
    @CsvSource({"before slices, 21", "after tally, 5", "before gradients, 4"})
    void aSliceMayBeLost(String point, int time) {
        Map<String, NdArray> actual = losing(
                killing("worker-3", point, time),
                4,
                epochs(3).with(parallel().data(2).tensor(2)));
        Weights.assertClose(actual, alone(epochs(3)), 3e-5);
    }

    @ParameterizedTest
    @CsvSource({
        "worker-1, receive activations",
        "worker-1, receive gradients",
        "worker-1, after tally",
        "worker-2, receive activations",
        "worker-2, send gradients"
    })
    void withoutATwinAllGoBackToTheCheckpoint(String member, String point, @TempDir Path folder) {
        int time = point.equals("after tally") ? 7 : 29;
        Map<String, NdArray> actual = losing(
                killing(member, point, time),
                3,
                epochs(3)
                        .with(parallel().pipeline(3).microBatches(4))
                        .callbacks(checkpoint(folder).everySteps(2)));
        Weights.assertClose(actual, alone(epochs(3)), 3e-5);
    }

    @Test
    void aLostMemberWithoutATwinSendsAllBackToTheCheckpointOnASmallerGrid(@TempDir Path folder) {
        Map<String, NdArray> expected = alone(epochs(3));
        Map<String, NdArray> actual = losing(
                killing("worker-2", "before tally", 6),
                3,
                epochs(3)
                        .with(parallel().pipeline(3))
                        .callbacks(checkpoint(folder).everySteps(2)));
        Weights.assertClose(actual, expected, 3e-5);
    }

    @Test
    void withoutACheckpointTheLossIsSaid() {
        assertThatThrownBy(() -> losing(
                        killing("worker-1", "before tally", 3),
                        2,
                        epochs(3).with(parallel().pipeline(2))))
                .hasMessageContaining("there is no checkpoint of this run to go back to");
    }

    @Test
    void aMemberHoldsItsPartAlone() {
        var results = Members.of(4)
                .fit(MODEL::trainer, DATA, epochs(1).with(parallel().pipeline(4)));
        assertThat(results.get(3).weights().keySet()).containsOnlyOnce("dense5.weight");
        assertThat(results.get(1).weights()).doesNotContainKey("dense1.weight");
    }
}
