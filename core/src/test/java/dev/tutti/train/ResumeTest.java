package dev.tutti.train;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.optim.schedule.Schedules.reduceOnPlateau;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.checkpoint;
import static dev.tutti.train.callback.Callbacks.earlyStopping;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.nn.ComputePrecision;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.checkpoint.CheckpointFolder;
import dev.tutti.train.worker.LossScale;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run that was cut anywhere and gone on with gives the same bits as one that was never cut. */
class ResumeTest {
    private static final int EPOCHS = 3;
    private static final int STEPS = EPOCHS * 5;

    @TempDir
    private Path folder;

    /** Everything that carries state takes part: momentum, schedule by metric, average, dropout, shuffling, metrics. */
    private static Trainer trainer() {
        return Trainer.of(Blobs.model(), adam(0.01).schedule(reduceOnPlateau(0.5, 1)), softmaxCrossEntropy())
                .metrics(accuracy())
                .movingAverage(0.9)
                .seed(11)
                .cores(1);
    }

    private static Dataset data() {
        return Blobs.data(70).shuffle(5).batch(8);
    }

    private record Outcome(Map<String, NdArray> weights, List<Evaluation> training, List<Evaluation> validation) {
        static Outcome of(Trainer trainer, History history) {
            return new Outcome(
                    trainer.model().arrays(),
                    history.epochs().stream().map(EpochResult::training).toList(),
                    history.epochs().stream().map(EpochResult::measured).toList());
        }
    }

    private static Fit fit() {
        return epochs(EPOCHS).accumulate(2).validate(Blobs.data(40, 9)).callbacks(earlyStopping("loss", 50));
    }

    private static Outcome uninterrupted() {
        try (Trainer trainer = trainer()) {
            return Outcome.of(trainer, trainer.fit(data(), fit()));
        }
    }

    /** Parameters and all state are float32: nothing of bf16 outlives a step. */
    @Test
    void cutInBf16EqualsUninterrupted() {
        ComputePrecision bf16 = ComputePrecision.BF16.everywhere();
        Path checkpoints = folder.resolve("bf16");
        try (Trainer whole = trainer().precision(bf16);
                Trainer cut = trainer().precision(bf16);
                Trainer rest = trainer().precision(bf16);
                Trainer full = trainer()) {
            whole.fit(data(), fit());
            full.fit(data(), fit());
            Callback stopper = new Callback() {
                @Override
                public void step(Run run) {
                    if (run.step() == 7) {
                        run.stop("cut");
                    }
                }
            };
            cut.fit(data(), fit().callbacks(stopper, checkpoint(checkpoints)));
            rest.fit(data(), fit().resume(checkpoints));
            assertThat(rest.model().arrays()).isEqualTo(whole.model().arrays());
            assertThat(rest.model().arrays()).isNotEqualTo(full.model().arrays());
        }
    }

    /** The factor of losses begins too large for these gradients, so that what was found out about it has to be kept. */
    @Test
    void cutInFp16EqualsUninterrupted() {
        Path checkpoints = folder.resolve("fp16");
        try (Trainer whole = trainer().precision("fp16");
                Trainer cut = trainer().precision("fp16");
                Trainer rest = trainer().precision("fp16")) {
            whole.fit(data(), fit());
            Callback stopper = new Callback() {
                @Override
                public void step(Run run) {
                    if (run.step() == 7) {
                        run.stop("cut");
                    }
                }
            };
            cut.fit(data(), fit().callbacks(stopper, checkpoint(checkpoints)));
            assertThat(new CheckpointFolder(checkpoints)
                            .newest()
                            .orElseThrow()
                            .array("optimizer.lossScale")
                            .at(0))
                    .isLessThan(LossScale.FIRST);
            rest.fit(data(), fit().resume(checkpoints));
            assertThat(rest.model().arrays()).isEqualTo(whole.model().arrays());
        }
    }

    @Test
    void cutAfterEveryStepEqualsUninterrupted() {
        Outcome expected = uninterrupted();
        for (int cut = 1; cut < STEPS; cut++) {
            Path checkpoints = folder.resolve("cut-" + cut);
            int last = cut;
            try (Trainer trainer = trainer()) {
                Callback stopper = new Callback() {
                    @Override
                    public void step(Run run) {
                        if (run.step() == last) {
                            run.stop("cut");
                        }
                    }
                };
                History history = trainer.fit(data(), fit().callbacks(stopper, checkpoint(checkpoints)));
                assertThat(history.ending()).isEqualTo(History.Ending.STOPPED);
            }
            try (Trainer trainer = trainer()) {
                History history = trainer.fit(data(), fit().resume(checkpoints));
                assertThat(Outcome.of(trainer, history))
                        .as("cut after step " + cut)
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void goesOnFromTheCheckpointBeforeADamagedOne() throws IOException {
        Outcome expected = uninterrupted();
        Path checkpoints = folder.resolve("damaged");
        try (Trainer trainer = trainer()) {
            trainer.fit(
                    data(),
                    fit().callbacks(checkpoint(checkpoints).everySteps(2).keep(4)));
        }
        List<Path> files = new CheckpointFolder(checkpoints).files();
        assertThat(files).hasSize(4);
        byte[] newest = Files.readAllBytes(files.get(3));
        Files.write(files.get(3), java.util.Arrays.copyOf(newest, newest.length / 2));
        byte[] second = Files.readAllBytes(files.get(2));
        second[second.length - 100] ^= 1;
        Files.write(files.get(2), second);
        try (Trainer trainer = trainer()) {
            History history = trainer.fit(data(), fit().resume(checkpoints));
            assertThat(Outcome.of(trainer, history)).isEqualTo(expected);
        }
    }

    @Test
    void keepsOnlyTheNewest() {
        try (Trainer trainer = trainer()) {
            trainer.fit(data(), fit().callbacks(checkpoint(folder).everySteps(1).keep(2)));
        }
        assertThat(new CheckpointFolder(folder).files())
                .extracting(file -> file.getFileName().toString())
                .containsExactly("step-000000014.safetensors", "step-000000015.safetensors");
    }

    /** A run of before got further: what the new one has saved is not taken for the oldest. */
    @Test
    void leavesWhatAnotherRunSavedAlone() {
        try (Trainer trainer = trainer()) {
            trainer.fit(data(), fit().callbacks(checkpoint(folder).keep(1)));
        }
        try (Trainer trainer = trainer()) {
            trainer.fit(data(), epochs(1).callbacks(checkpoint(folder).keep(1)));
        }
        assertThat(new CheckpointFolder(folder).files())
                .extracting(file -> file.getFileName().toString())
                .containsExactly("step-000000009.safetensors", "step-000000015.safetensors");
    }

    @Test
    void refusesACheckpointOfOtherSettings() {
        try (Trainer trainer = trainer()) {
            trainer.fit(data(), epochs(1).callbacks(checkpoint(folder)));
        }
        try (Trainer other = Blobs.trainer()) {
            assertThatThrownBy(() -> other.fit(data(), epochs(2).resume(folder)))
                    .isInstanceOf(TrainingException.class)
                    .hasMessageContaining("other settings");
        }
    }

    @Test
    void beginsAnewWhereThereIsNoCheckpoint() {
        try (Trainer trainer = trainer()) {
            History history = trainer.fit(data(), fit().resume(folder.resolve("none")));
            assertThat(Outcome.of(trainer, history)).isEqualTo(uninterrupted());
        }
    }

    @Test
    void resumingAFinishedRunTrainsNoFurther() {
        try (Trainer trainer = trainer()) {
            trainer.fit(data(), fit().callbacks(checkpoint(folder)));
        }
        try (Trainer trainer = trainer()) {
            History history = trainer.fit(data(), fit().resume(folder));
            assertThat(Outcome.of(trainer, history)).isEqualTo(uninterrupted());
        }
    }
}
