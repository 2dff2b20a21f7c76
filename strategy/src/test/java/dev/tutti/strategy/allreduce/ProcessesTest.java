package dev.tutti.strategy.allreduce;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;
import dev.tutti.cluster.Cluster;
import dev.tutti.data.Dataset;
import dev.tutti.data.Mnist;
import dev.tutti.nn.Sequential;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** JVMs of this machine are one machine with the whole batch. */
@Timeout(120)
class ProcessesTest {
    private static final Dataset TRAIN = Mnist.train().take(1000).shuffle(7).batch(96);
    private static final Dataset TEST = Mnist.test().take(500).batch(64);

    @Test
    void equalOneWorker() {
        Result one = train(epochs(3));
        Result two = train(epochs(3).on(Cluster.processes(2)).with(allReduce()));
        Result three =
                train(epochs(3).on(Cluster.processes(3).workersPerProcess(2)).with(allReduce()));
        for (Result several : new Result[] {two, three}) {
            one.weights.forEach((name, array) -> {
                for (int i = 0; i < array.size(); i++) {
                    assertThat(several.weights.get(name).at(i)).as(name).isCloseTo(array.at(i), within(1e-5));
                }
            });
            for (int epoch = 0; epoch < 3; epoch++) {
                var expected = one.history.epochs().get(epoch);
                var actual = several.history.epochs().get(epoch);
                assertThat(actual.training().samples())
                        .isEqualTo(expected.training().samples());
                assertThat(actual.training().loss())
                        .isCloseTo(expected.training().loss(), within(1e-5));
                assertThat(actual.measured().samples()).isEqualTo(500);
                assertThat(actual.measured().get("accuracy"))
                        .isCloseTo(expected.measured().get("accuracy"), within(0.005));
            }
        }
    }

    private record Result(Map<String, NdArray> weights, History history) {}

    private static Result train(Fit fit) {
        try (Trainer trainer = Trainer.of(
                        Sequential.of(flatten(), dense(32).tanh(), dense(10)), adam(1e-3), softmaxCrossEntropy())
                .metrics(accuracy())
                .cores(1)) {
            History history = trainer.fit(TRAIN, fit.validate(TEST));
            return new Result(trainer.model().arrays(), history);
        }
    }
}
