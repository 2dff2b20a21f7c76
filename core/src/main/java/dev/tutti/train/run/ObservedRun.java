package dev.tutti.train.run;

import dev.tutti.json.Json;
import dev.tutti.nn.Model;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Evaluation;
import dev.tutti.train.RuntimeSettings;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import dev.tutti.train.callback.Run;
import dev.tutti.train.checkpoint.CheckpointFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A run of another process, as callbacks of an observer see it: what its folder tells. */
final class ObservedRun implements Run {
    private final RunFiles files;
    private final List<EpochResult> finished = new ArrayList<>();
    private RunStatus status;
    private RunEvent last = new RunEvent(1, 0, Double.NaN, Double.NaN, 0, Optional.empty());
    private long firstStepOfEpoch;
    private boolean stopping;

    ObservedRun(RunFiles files, RunStatus status) {
        this.files = files;
        this.status = status;
    }

    void at(RunStatus now) {
        status = now;
    }

    void at(RunEvent event) {
        last = event;
        if (event.isEpoch()) {
            finished.add(event.result().orElseThrow());
            firstStepOfEpoch = event.step();
        }
    }

    @Override
    public Model model() {
        throw noParameters("ask its newest checkpoint, or the model that it saves");
    }

    @Override
    public void saveModel(Path folder) {
        throw noParameters("it saves its model itself");
    }

    private TrainingException noParameters(String instead) {
        return new TrainingException(
                "an observer of the run in " + files.folder() + " holds no parameters: " + instead);
    }

    @Override
    public TrainingConfig recipe() {
        if (!Files.exists(files.recipe())) {
            throw new TrainingException("the recipe of the run in " + files.folder()
                    + " is not written down: it holds parts that have no name in files");
        }
        return Json.read(files.recipe(), TrainingConfig.class);
    }

    /** Copies the newest one that the run has saved. */
    @Override
    public Path saveCheckpoint(Path folder, int keep) {
        return new CheckpointFolder(files.checkpoints())
                .copyNewest(folder, keep)
                .orElseThrow(
                        () -> new TrainingException("the run in " + files.folder() + " has saved no checkpoint yet"));
    }

    @Override
    public int epoch() {
        return last.isEpoch() ? last.epoch() + 1 : last.epoch();
    }

    @Override
    public int epochs() {
        return status.epochs();
    }

    @Override
    public long step() {
        return last.step();
    }

    @Override
    public long stepOfEpoch() {
        return last.step() - firstStepOfEpoch;
    }

    @Override
    public OptionalLong stepsPerEpoch() {
        return status.stepsPerEpoch() > 0 ? OptionalLong.of(status.stepsPerEpoch()) : OptionalLong.empty();
    }

    @Override
    public long samplesSeen() {
        return last.samples();
    }

    @Override
    public double learningRate() {
        return last.learningRate();
    }

    @Override
    public Map<String, String> settings() {
        return status.settings();
    }

    @Override
    public void configure(String key, String value) {
        RuntimeSettings.check(key, value);
        files.ask(new RunFiles.Request(null, key, value));
    }

    @Override
    public double lastLoss() {
        return last.loss();
    }

    /** Of the last step: what was measured in the epoch under way is known to the run alone. */
    @Override
    public Evaluation soFar() {
        return new Evaluation(last.loss(), Map.of(), last.samples());
    }

    @Override
    public boolean isChief() {
        return true;
    }

    @Override
    public List<EpochResult> finished() {
        return List.copyOf(finished);
    }

    @Override
    public void stop(String reason) {
        if (!stopping) {
            stopping = true;
            files.ask(new RunFiles.Request(reason, null, null));
        }
    }

    @Override
    public boolean stopping() {
        return stopping;
    }
}
