package dev.tutti.strategy;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.optim.Optimizers.sgd;
import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.strategy.Strategies.averaging;
import static dev.tutti.strategy.TestingCluster.killing;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.NdArray;
import dev.tutti.cluster.Cluster;
import dev.tutti.cluster.CoordinatorFolder;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.data.Dataset;
import dev.tutti.data.Mnist;
import dev.tutti.nn.Sequential;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A setting that is changed while several members train holds for all of them from the same step on. */
@Timeout(120)
class SettingsTest {
    private static final Dataset DATA = Blobs.data(96).batch(12);
    private static final int EPOCHS = 500;

    /** An epoch that nobody comes to the end of: there, what was set is heard a step sooner than elsewhere. */
    private static final Dataset LONG = Blobs.data(12_000).batch(12);

    @TempDir
    private Path folder;

    /** Sets the rate after some steps and ends training some steps after it is in force. */
    private static final class Hand implements Callback {
        private final Change change;
        private final List<Double> rates = new ArrayList<>();
        private long since;

        interface Change {
            void rate(Run run, String value);
        }

        Hand(Change change) {
            this.change = change;
        }

        @Override
        public void step(Run run) {
            rates.add(run.learningRate());
            if (rates.size() == 5) {
                change.rate(run, "0.02");
            }
            since = run.learningRate() == 0.02 ? since + 1 : 0;
            if (since == 20) {
                run.stop("seen");
            }
        }
    }

    static Stream<Strategy> strategies() {
        return Stream.of(allReduce(), averaging().everySteps(4));
    }

    /** Were one of them a step late, its weights would differ. */
    @ParameterizedTest
    @MethodSource("strategies")
    void allFollowTogether(Strategy strategy) {
        Hand hand = new Hand((run, value) -> run.configure("learningRate", value));
        List<Members.Result> results = Members.of(3)
                .fit(Blobs::trainer, DATA, epochs(EPOCHS).with(strategy).callbacks(hand));
        assertThat(hand.rates).contains(0.1, 0.02);
        assertThat(hand.since).isGreaterThanOrEqualTo(20);
        Map<String, NdArray> first = results.get(0).weights();
        assertThat(results).allSatisfy(result -> assertThat(result.weights()).isEqualTo(first));
        assertThat(Blobs.weightsAfter(DATA, epochs(1))).isNotEqualTo(first);
    }

    /** A member is lost while the others hear of the change. */
    @Test
    void allFollowAlsoWhenOneIsLostMeanwhile() {
        Hand hand = new Hand((run, value) -> run.configure("learningRate", value));
        TestingCluster cluster = new TestingCluster(3, killing("worker-2", "before settings", 2));
        Map<String, Members.Result> results = cluster.run(place -> Members.Result.of(
                Blobs.trainer(),
                DATA,
                epochs(EPOCHS).on(place).with(allReduce()).callbacks(hand)));
        assertThat(results).containsOnlyKeys("worker-0", "worker-1");
        assertThat(hand.since).isGreaterThanOrEqualTo(20);
        assertThat(results.get("worker-1").weights())
                .isEqualTo(results.get("worker-0").weights());
    }

    /** What is no rate at all changes nothing, for those who know the one before and for those who come later. */
    @Test
    void aWrongRateFromOutsideIsLeftAlone() {
        List<Double> rates = new ArrayList<>();
        AtomicReference<TestingCluster> cluster = new AtomicReference<>();
        cluster.set(new TestingCluster(3, killing("worker-2", "before gradients", 60)));
        Callback hand = new Callback() {
            @Override
            public void step(Run run) {
                rates.add(run.learningRate());
                if (run.step() == 5) {
                    cluster.get().configure("learningRate", "0.02");
                } else if (run.step() == 40) {
                    cluster.get().configure("learningRate", "fast");
                } else if (run.step() == 100) {
                    run.stop("seen");
                }
            }
        };
        Map<String, Members.Result> results = cluster.get()
                .run(place -> Members.Result.of(
                        Blobs.trainer(),
                        DATA,
                        epochs(EPOCHS).on(place).with(allReduce()).callbacks(hand)));
        assertThat(rates.subList(50, rates.size())).containsOnly(0.02);
        assertThat(results.get("worker-1").weights())
                .isEqualTo(results.get("worker-0").weights());
    }

    /** A synchronous strategy equals one machine whose rate is changed at the same step. */
    @Test
    void equalsOneMachine() {
        Hand hand = new Hand((run, value) -> run.configure("learningRate", value));
        Map<String, NdArray> several = Members.of(2)
                .fit(Blobs::trainer, LONG, epochs(1).with(allReduce()).callbacks(hand))
                .get(0)
                .weights();
        long changed = hand.rates.stream().filter(rate -> rate == 0.1).count();
        Weights.assertClose(several, alone(changed, hand.rates.size()), 1e-5);
    }

    private static Map<String, NdArray> alone(long changed, int steps) {
        Callback sameChange = new Callback() {
            @Override
            public void step(Run run) {
                if (run.step() == changed - 1) { // in force one step later
                    run.configure("learningRate", "0.02");
                }
                if (run.step() == steps) {
                    run.stop("seen");
                }
            }
        };
        return Blobs.weightsAfter(LONG, epochs(1).callbacks(sameChange));
    }

    /** From outside, as {@code ./tutti configure} does it, while two JVMs train. */
    @Test
    void isReachedThroughAFolder() {
        Hand hand = new Hand((run, value) -> {
            try (CoordinatorClient outside = new CoordinatorClient(new CoordinatorFolder(folder).address(null))) {
                outside.configure("learningRate", value);
            }
        });
        Fit fit = epochs(EPOCHS)
                .on(Cluster.processes(2).reachableThrough(folder))
                .with(allReduce())
                .callbacks(hand);
        try (Trainer trainer = Trainer.of(Sequential.of(flatten(), dense(10)), sgd(0.1), softmaxCrossEntropy())) {
            trainer.fit(Mnist.train().take(96).batch(12), fit);
        }
        assertThat(hand.since).isGreaterThanOrEqualTo(20);
        assertThat(Files.exists(folder.resolve("address.json")))
                .as("withdrawn at the end")
                .isFalse();
        assertThat(Files.exists(folder.resolve("token"))).isFalse();
    }
}
