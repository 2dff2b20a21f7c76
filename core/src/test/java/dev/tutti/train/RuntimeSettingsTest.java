package dev.tutti.train;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.optim.schedule.Schedules.linear;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.checkpoint;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.TuttiException;
import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Settings that are changed while training runs. */
class RuntimeSettingsTest {
    private static final Dataset DATA = Blobs.data(60).shuffle(2).batch(6);

    @TempDir
    private Path folder;

    /** Changes settings after some steps, and writes down what is in force at each of them. */
    private static final class Hand implements Callback {
        private final Map<Long, String> rates;
        private final Map<Long, Double> seen = new TreeMap<>();
        private final List<String> own = new ArrayList<>();

        Hand(Map<Long, String> rates) {
            this.rates = rates;
        }

        @Override
        public void step(Run run) {
            seen.put(run.step(), run.learningRate());
            own.add(run.settings().getOrDefault("mine", ""));
            if (rates.containsKey(run.step())) {
                run.configure(RuntimeSettings.LEARNING_RATE, rates.get(run.step()));
                run.configure("mine", "since " + run.step());
            }
        }
    }

    @Test
    void theLearningRateFollows() {
        Hand hand = new Hand(Map.of(3L, "0.5"));
        train(Blobs.trainer(), epochs(1).callbacks(hand));
        assertThat(hand.seen).containsEntry(3L, 0.01).containsEntry(5L, 0.5).containsEntry(10L, 0.5);
        assertThat(hand.own.get(2)).isEmpty();
        assertThat(hand.own.get(9)).isEqualTo("since 3");
    }

    @Test
    void isGivenBack() {
        Hand hand = new Hand(new TreeMap<>(Map.of(2L, "0.5")) {
            private static final long serialVersionUID = 1;

            {
                put(6L, null);
            }
        });
        train(Blobs.trainer(), epochs(1).callbacks(hand));
        assertThat(hand.seen).containsEntry(5L, 0.5).containsEntry(9L, 0.01);
    }

    @Test
    void theScheduleStillScalesIt() {
        Hand hand = new Hand(Map.of(2L, "0.5"));
        train(
                Trainer.of(Blobs.model(), adam(0.01).schedule(linear()), softmaxCrossEntropy())
                        .cores(1),
                epochs(1).callbacks(hand));
        assertThat(hand.seen.get(6L) / hand.seen.get(8L)).isGreaterThan(1.5);
        assertThat(hand.seen.get(6L)).isGreaterThan(0.1);
    }

    @Test
    void aWrongRateIsRefused() {
        assertThatThrownBy(() -> RuntimeSettings.check("learningRate", "fast"))
                .isInstanceOf(TuttiException.class)
                .hasMessage("learningRate: expected a number of 0 or more, received 'fast'");
        assertThatThrownBy(() -> RuntimeSettings.check("learningRate", "-1")).hasMessageContaining("received '-1'");
        assertThatThrownBy(() -> RuntimeSettings.check("learningRate", "NaN")).hasMessageContaining("received 'NaN'");
        assertThatThrownBy(() -> RuntimeSettings.check(" ", "1")).hasMessageContaining("expected a setting's name");
        RuntimeSettings.check("mine", "anything");
        RuntimeSettings.check("learningRate", null);
    }

    /** A run that goes on from a checkpoint has the rate that was set, and comes to the same bits. */
    @Test
    void checkpointsRememberIt() {
        Map<String, NdArray> whole = train(Blobs.trainer(), epochs(2).callbacks(new Hand(Map.of(3L, "0.05"))));
        train(
                Blobs.trainer(),
                epochs(2)
                        .callbacks(new Hand(Map.of(3L, "0.05")), new Callback() {
                            @Override
                            public void step(Run run) {
                                if (run.step() == 7) {
                                    run.stop("enough");
                                }
                            }
                        })
                        .callbacks(checkpoint(folder)));
        Hand resumed = new Hand(Map.of());
        Map<String, NdArray> gone =
                train(Blobs.trainer(), epochs(2).resume(folder).callbacks(resumed));
        assertThat(resumed.seen).containsEntry(8L, 0.05).doesNotContainKey(7L);
        assertThat(resumed.own.get(0)).isEqualTo("since 3");
        assertThat(gone).isEqualTo(whole);
    }

    @Test
    void whatACheckpointRemembersCanBeTakenAway() {
        train(Blobs.trainer(), epochs(1).callbacks(new Hand(Map.of(3L, "0.05"))).callbacks(checkpoint(folder)));
        Hand resumed = new Hand(new TreeMap<>() {
            private static final long serialVersionUID = 1;

            {
                put(13L, null);
            }
        });
        train(Blobs.trainer(), epochs(2).resume(folder).callbacks(resumed));
        assertThat(resumed.seen).containsEntry(12L, 0.05).containsEntry(16L, 0.01);
    }

    private static Map<String, NdArray> train(Trainer trainer, Fit fit) {
        try (trainer) {
            trainer.fit(DATA, fit);
            return trainer.model().arrays();
        }
    }
}
