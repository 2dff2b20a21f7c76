package dev.tutti.strategy;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.strategy.Strategies.averaging;
import static dev.tutti.strategy.Strategies.parallel;
import static dev.tutti.strategy.compression.Compressions.bf16;
import static dev.tutti.strategy.compression.Compressions.fp16;
import static dev.tutti.strategy.compression.Compressions.powerSgd;
import static dev.tutti.strategy.compression.Compressions.topK;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.strategy.parallel.Parallel;
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

    /** Also compressions that send little in any case, and grids. */
    static Stream<Strategy> allStrategies() {
        return Stream.concat(
                strategies(),
                Stream.of(
                        allReduce().evenShares().compression(fp16()),
                        allReduce().evenShares().compression(topK(0.1)),
                        allReduce().evenShares().compression(powerSgd(1)),
                        allReduce().evenShares().compression(powerSgd(3)).shardedState(),
                        averaging().everySteps(2).averageOptimizerState(),
                        parallel().data(2),
                        parallel().data(2).shardedState(),
                        parallel().data(2).pipeline(2).stages("dense3"),
                        parallel().data(2).pipeline(2).stages("dense3").shardedState()));
    }

    private static int membersOf(Strategy strategy) {
        return strategy instanceof Parallel grid ? grid.grid(1).members() : 2;
    }

    /** Between layers of the same size, frozen ones that have few parameters or many: not a byte more goes to other members. */
    @ParameterizedTest
    @MethodSource("allStrategies")
    void howMuchTravelsDoesNotDependOnWhatIsFrozen(Strategy strategy) {
        assertThat(perEpoch(strategy, 400, true)).as("bytes of %s", strategy).isEqualTo(perEpoch(strategy, 20, true));
        assertThat(perEpoch(strategy, 400, false)).isGreaterThan(perEpoch(strategy, 20, false));
    }

    private static long perEpoch(Strategy strategy, int width, boolean frozen) {
        long[] bytes = new long[2];
        for (int longer = 0; longer < 2; longer++) {
            TestingCluster cluster = new TestingCluster(membersOf(strategy)).apart();
            int epochs = 2 + longer;
            cluster.run(place -> {
                try (Trainer trainer = Trainer.of(
                                Sequential.of(
                                        dense(30).tanh(),
                                        dense(width).tanh(),
                                        dense(30).tanh(),
                                        dense(Blobs.CLASSES)),
                                adam(0.01),
                                softmaxCrossEntropy())
                        .cores(1)) {
                    Model model = trainer.build(DATA);
                    if (frozen) {
                        model.freeze("dense2");
                        model.freeze("dense3");
                    }
                    return trainer.fit(DATA, epochs(epochs).on(place).with(strategy));
                }
            });
            for (int member = 0; member < membersOf(strategy); member++) {
                bytes[longer] += cluster.traffic(TestingCluster.name(member)).sent();
            }
        }
        return bytes[1] - bytes[0];
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
