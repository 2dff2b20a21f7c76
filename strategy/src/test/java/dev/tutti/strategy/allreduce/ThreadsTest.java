package dev.tutti.strategy.allreduce;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.sgd;
import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.checkpoint;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.TuttiException;
import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Sequential;
import dev.tutti.strategy.Blobs;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Fit;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workers on threads of one JVM are one worker with the whole batch. */
class ThreadsTest {
    @Test
    void equalOneWorker() {
        Map<String, NdArray> one = Blobs.weightsAfter(Blobs.data(100).batch(24), epochs(4));
        for (int workers = 1; workers <= 5; workers++) {
            Map<String, NdArray> several = Blobs.weightsAfter(Blobs.data(100).batch(24), threads(workers, 4));
            assertClose(several, one);
            Map<String, NdArray> accumulated = Blobs.weightsAfter(
                    Blobs.data(100).batch(6), threads(workers, 4).accumulate(4));
            assertClose(accumulated, one);
            assertThat(Blobs.weightsAfter(Blobs.data(100).batch(24), threads(workers, 4)))
                    .as("the same bits again")
                    .isEqualTo(several);
        }
    }

    @Test
    void followWhatIsUnfrozenOnTheWay() {
        assertClose(weightsUnfrozenOnTheWay(threads(3, 3)), weightsUnfrozenOnTheWay(epochs(3)));
    }

    private static Map<String, NdArray> weightsUnfrozenOnTheWay(Fit fit) {
        Callback unfreezing = new Callback() {
            @Override
            public void epoch(Run run, EpochResult result) {
                run.model().unfreeze("dense1");
                run.model().freeze("dense2.bias");
            }
        };
        try (Trainer trainer = Trainer.of(
                        Sequential.of(dense(8).tanh(), dense(Blobs.CLASSES)), sgd(0.1), softmaxCrossEntropy())
                .cores(1)) {
            trainer.build(Blobs.data(10)).freeze("dense1");
            trainer.fit(Blobs.data(96).batch(24), fit.callbacks(unfreezing));
            return trainer.model().arrays();
        }
    }

    @Test
    void theFailureOfOneComesOut() {
        NdArray narrow = NdArray.of(new float[6], 2, 3);
        try (Trainer trainer = Blobs.trainer()) {
            trainer.build(Blobs.data(10));
            Dataset bad = Dataset.of(narrow, NdArray.of(new long[2], 2)).batch(2);
            assertThatThrownBy(() -> trainer.fit(bad, threads(2, 1)))
                    .isInstanceOf(TuttiException.class)
                    .hasMessageContaining("samples of shape [4]");
        }
    }

    @Test
    void goOnFromACheckpointToTheSameBits(@TempDir Path folder) {
        Map<String, NdArray> expected = Blobs.weightsAfter(Blobs.data(100).batch(24), threads(2, 3));
        Callback stopper = new Callback() {
            @Override
            public void step(Run run) {
                if (run.step() == 7) {
                    run.stop("cut");
                }
            }
        };
        Blobs.weightsAfter(Blobs.data(100).batch(24), threads(2, 3).callbacks(stopper, checkpoint(folder)));
        assertThat(Blobs.weightsAfter(Blobs.data(100).batch(24), threads(2, 3).resume(folder)))
                .isEqualTo(expected);
    }

    @Test
    void whatTheySavedAnotherNumberOfWorkersGoesOnWith(@TempDir Path folder) {
        Map<String, NdArray> expected = Blobs.weightsAfter(Blobs.data(96).batch(24), epochs(2));
        Blobs.weightsAfter(Blobs.data(96).batch(24), threads(3, 1).callbacks(checkpoint(folder)));
        assertClose(Blobs.weightsAfter(Blobs.data(96).batch(24), threads(2, 2).resume(folder)), expected);
        assertClose(Blobs.weightsAfter(Blobs.data(96).batch(24), epochs(2).resume(folder)), expected);
    }

    @Test
    void localSaysWhatToChooseForSeveral() {
        assertThatThrownBy(() -> Blobs.weightsAfter(
                        Blobs.data(10).batch(5),
                        epochs(1).on(Launcher.threads(2)).with(Strategy.local())))
                .hasMessage(
                        "the strategy local trains on one worker, received 2: choose a strategy for several, such as"
                                + " allReduce");
    }

    private static Fit threads(int workers, int epochs) {
        return epochs(epochs).on(Launcher.threads(workers)).with(allReduce());
    }

    private static void assertClose(Map<String, NdArray> actual, Map<String, NdArray> expected) {
        expected.forEach((name, array) -> {
            for (int i = 0; i < array.size(); i++) {
                assertThat(actual.get(name).at(i)).as(name).isCloseTo(array.at(i), within(1e-5));
            }
        });
    }
}
