package dev.tutti.strategy;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.strategy.Strategies.averaging;
import static dev.tutti.strategy.compression.Compressions.bf16;
import static dev.tutti.strategy.compression.Compressions.topK;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.train.Trainer;
import dev.tutti.train.replica.Strategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is frozen never travels, and what learns beside it learns as on one machine. */
@Timeout(120)
class FrozenTrafficTest {
    private static final Dataset DATA = Blobs.data(96).batch(24);
    private static final Sequential LAYERS =
            Sequential.of(dense(8).tanh(), dense(300).tanh(), dense(300).tanh(), dense(Blobs.CLASSES));
    private static final String FROZEN = "dense3"; // most of the parameters, between some that learn
    private static final long FROZEN_BYTES = 300 * 301 * Float.BYTES;

    static Stream<Strategy> strategies() {
        return Stream.of(
                allReduce().evenShares(),
                allReduce().evenShares().overlap(true).bucketBytes(1000),
                allReduce().evenShares().compression(bf16()),
                allReduce().evenShares().compression(topK(1)),
                allReduce().evenShares().shardedState(),
                allReduce().evenShares().shardedState().shardCopies(2),
                averaging().everySteps(1));
    }

    private record Run(List<Map<String, NdArray>> weights, long bytes) {}

    private static Run run(Strategy strategy, int members, int epochs, boolean frozen) {
        TestingCluster cluster = new TestingCluster(members);
        List<Map<String, NdArray>> weights = new ArrayList<>();
        cluster.run(place -> {
                    try (Trainer trainer = trainer(frozen)) {
                        trainer.fit(DATA, epochs(epochs).on(place).with(strategy));
                        return trainer.model().arrays();
                    }
                })
                .values()
                .forEach(weights::add);
        return new Run(
                weights,
                cluster.traffic("worker-1").sent() + cluster.traffic("worker-1").received());
    }

    private static Trainer trainer(boolean frozen) {
        Trainer trainer = Trainer.of(LAYERS, adam(0.01).clipNorm(1), softmaxCrossEntropy())
                .cores(1);
        Model model = trainer.build(DATA);
        if (frozen) {
            model.freeze(FROZEN);
        }
        return trainer;
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void staysBehind(Strategy strategy) {
        for (int members = 2; members <= 3; members++) {
            long perEpoch = run(strategy, members, 3, true).bytes - run(strategy, members, 2, true).bytes;
            long unfrozen = run(strategy, members, 3, false).bytes - run(strategy, members, 2, false).bytes;
            assertThat(unfrozen).isGreaterThan(2 * FROZEN_BYTES);
            assertThat(perEpoch).as("%s on %d members", strategy, members).isLessThan(unfrozen / 8);
        }
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void whatLearnsIsTheSame(Strategy strategy) {
        if (!(strategy.exact() && strategy.toString().startsWith("allReduce"))) {
            return; // not what one machine learns, frozen or not
        }
        Map<String, NdArray> expected;
        Map<String, NdArray> begin;
        try (Trainer one = trainer(true)) {
            begin = one.model().arrays();
            one.fit(DATA, epochs(3));
            expected = one.model().arrays();
        }
        for (Map<String, NdArray> weights : run(strategy, 3, 3, true).weights) {
            Weights.assertClose(weights, expected, 1e-4);
            assertThat(weights.get(FROZEN + ".weight")).isEqualTo(begin.get(FROZEN + ".weight"));
            assertThat(weights.get("dense2.weight")).isNotEqualTo(begin.get("dense2.weight"));
        }
    }
}
