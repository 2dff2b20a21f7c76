package dev.tutti.strategy.mapreduce;

import static dev.tutti.loss.Losses.mse;
import static dev.tutti.nn.Layers.batchNorm;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.optim.Optimizers.sgd;
import static dev.tutti.strategy.Strategies.mapReduce;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.json.Json;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizer;
import dev.tutti.optim.schedule.Schedules;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import dev.tutti.train.TrainingException;
import dev.tutti.train.callback.Callbacks;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MapReduceTest {
    private static final int ROWS = 120;

    private static Dataset data() {
        Random random = new Random(3);
        float[] x = new float[ROWS * 3];
        float[] y = new float[ROWS];
        for (int i = 0; i < ROWS; i++) {
            for (int j = 0; j < 3; j++) {
                x[3 * i + j] = (float) random.nextGaussian();
            }
            y[i] = 2 * x[3 * i] - x[3 * i + 1] + 0.5f * x[3 * i + 2] * x[3 * i + 2];
        }
        return Dataset.of(NdArray.of(x, ROWS, 3), NdArray.of(y, ROWS, 1));
    }

    private static Trainer trainer() {
        return Trainer.of(Sequential.of(dense(6).tanh(), dense(1)), sgd(0.1), mse())
                .seed(5);
    }

    private static float[] values(Trainer trainer) {
        return trainer.model().vector().values().toArray().floats();
    }

    /** A round with all rows is a step of one member with all rows in one batch. */
    @ParameterizedTest
    @EnumSource(RangeShuffle.class)
    void roundsOfGradientsAreStepsOfOneMember(RangeShuffle shuffle) {
        try (Trainer alone = trainer();
                Trainer rounds = trainer();
                ThreadEngine engine = new ThreadEngine(data().batch(16), 5, 2)) {
            alone.fit(data().batch(ROWS), epochs(4).quiet());
            rounds.build(data());
            List<Double> losses =
                    MapReduce.rounds(4).shuffle(shuffle).ranges(7, 3).fit(engine, rounds.model(), sgd(0.1), mse());
            assertThat(losses).hasSize(4);
            assertThat(engine.parts()).isEqualTo(5);
            float[] expected = values(alone);
            float[] received = values(rounds);
            for (int i = 0; i < expected.length; i++) {
                assertThat(received[i]).isCloseTo(expected[i], offset(1e-5f));
            }
        }
    }

    @Test
    void lbfgsNeedsFarFewerRoundsThanPlainDescent() {
        try (Trainer descent = trainer();
                Trainer quasi = trainer();
                ThreadEngine engine = new ThreadEngine(data().batch(32), 4, 2)) {
            descent.build(data());
            quasi.build(data());
            List<Double> slow = MapReduce.rounds(20).fit(engine, descent.model(), sgd(0.1), mse());
            List<Double> fast = MapReduce.rounds(20).lbfgs().fit(engine, quasi.model(), sgd(0.1), mse());
            assertThat(fast.get(fast.size() - 1)).isLessThan(slow.get(19) / 3);
            assertThat(fast).isSortedAccordingTo((a, b) -> Double.compare(b, a));
        }
    }

    @Test
    void localEpochsAndSamplesLearnToo() {
        try (Trainer trainer = trainer();
                ThreadEngine engine = new ThreadEngine(data().batch(8), 3, 2)) {
            trainer.build(data());
            List<Double> losses = MapReduce.rounds(6).localEpochs(2).fit(engine, trainer.model(), sgd(0.05), mse());
            assertThat(losses.get(5)).isLessThan(losses.get(0) / 2);
            List<Double> sampled =
                    MapReduce.rounds(5).sample(0.5).seed(1).fit(engine, trainer.model(), sgd(0.01), mse());
            assertThat(sampled).hasSize(5).doesNotHaveDuplicates();
        }
    }

    /** As a strategy: an epoch is a round, which is a step of one member with all rows. */
    @ParameterizedTest
    @EnumSource(RangeShuffle.class)
    void isAStrategyWhoseEpochsAreRounds(RangeShuffle shuffle) {
        try (Trainer alone = trainer();
                Trainer rounds = trainer()) {
            alone.fit(data().batch(ROWS), epochs(4).quiet());
            History history = rounds.fit(
                    data().batch(16),
                    epochs(4)
                            .on(Launcher.threads(2))
                            .with(mapReduce().shuffle(shuffle).ranges(7, 3).parts(5))
                            .quiet());
            assertThat(history.epochs()).hasSize(4);
            history.epochs().forEach(epoch -> {
                assertThat(epoch.training().samples()).isEqualTo(ROWS);
                assertThat(epoch.steps()).isEqualTo(epoch.epoch());
            });
            float[] expected = values(alone);
            float[] received = values(rounds);
            for (int i = 0; i < expected.length; i++) {
                assertThat(received[i]).isCloseTo(expected[i], offset(1e-5f));
            }
        }
    }

    @Test
    void aStrategyGoesOnFromACheckpointAsIfItHadNotStopped(@TempDir Path folder) {
        Strategy rounds = Json.readYaml("{type: mapReduce, rounds: 3, sample: 0.5, seed: 4}", Strategy.class, "here");
        Optimizer optimizer = adam(0.05).schedule(Schedules.cosine());
        try (Trainer whole = Trainer.of(Sequential.of(dense(6).tanh(), dense(1)), optimizer, mse())
                        .seed(5);
                Trainer first = Trainer.of(Sequential.of(dense(6).tanh(), dense(1)), optimizer, mse())
                        .seed(5);
                Trainer second = Trainer.of(Sequential.of(dense(6).tanh(), dense(1)), optimizer, mse())
                        .seed(5)) {
            Fit fit = epochs(4).with(rounds).quiet();
            whole.fit(data().batch(8), fit);
            int[] steps = {0};
            History cut = first.fit(
                    data().batch(8), fit.callbacks(Callbacks.checkpoint(folder)).until(() -> ++steps[0] > 5));
            assertThat(cut.ending()).isEqualTo(History.Ending.INTERRUPTED);
            History rest = second.fit(data().batch(8), fit.resume(folder));
            assertThat(rest.last().steps()).isEqualTo(12);
            assertThat(values(second)).isEqualTo(values(whole));
        }
    }

    @Test
    void lbfgsAndLocalEpochsAreStrategiesToo() {
        try (Trainer quasi = trainer();
                Trainer local = trainer()) {
            History down = quasi.fit(
                    data().batch(32), epochs(12).with(mapReduce().lbfgs()).quiet());
            assertThat(down.last().training().loss())
                    .isLessThan(down.epochs().get(0).training().loss() / 3);
            History learned = local.fit(
                    data().batch(8),
                    epochs(6).with(mapReduce().localEpochs(2).parts(3)).quiet());
            assertThat(learned.last().training().loss())
                    .isLessThan(learned.epochs().get(0).training().loss() / 2);
        }
    }

    @Test
    void refusesModelsWithRunningStatistics() {
        try (Trainer trainer = Trainer.of(Sequential.of(dense(4), batchNorm(), dense(1)), sgd(0.1), mse())) {
            assertThatThrownBy(() -> trainer.fit(
                            data().batch(8), epochs(1).with(mapReduce()).quiet()))
                    .isInstanceOf(TrainingException.class)
                    .hasMessageContaining("running statistics");
        }
    }

    @Test
    void refusesWhatDoesNotGoTogether() {
        assertThatThrownBy(() -> MapReduce.rounds(3).sample(0.5).lbfgs())
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("expected gradients of all rows");
    }
}
