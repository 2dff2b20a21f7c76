package dev.tutti.train;

import dev.tutti.data.Dataset;
import dev.tutti.nn.Model;
import dev.tutti.optim.MovingAverage;
import dev.tutti.train.callback.Run;
import dev.tutti.train.checkpoint.AveragedWeights;
import dev.tutti.train.checkpoint.CheckpointSession;
import dev.tutti.train.profile.TimeReport;
import dev.tutti.train.replica.Outcome;
import dev.tutti.train.replica.StrategyReport;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A run under way as its callbacks see it: where it is, what it has last measured, and whether they want it to end. */
final class VisibleRun implements Run {
    private final Model model;
    private final TrainingConfig recipe;
    private final Dataset data;
    private final Fit fit;
    private final RunProgress runProgress;
    private final CheckpointSession saving;
    private final AveragedWeights averaged;
    private final RuntimeSettings tuning;
    private final ModelSaver modelSaver;

    private OptionalLong stepsPerEpoch;
    private long samplesSeen;
    private double learningRate = Double.NaN;
    private double lastLoss = Double.NaN;
    private String stopReason;

    VisibleRun(
            Model model,
            TrainingConfig recipe,
            Dataset data,
            Fit fit,
            RunProgress runProgress,
            CheckpointSession saving,
            AveragedWeights averaged,
            RuntimeSettings tuning,
            ModelSaver modelSaver) {
        this.model = model;
        this.recipe = recipe;
        this.data = data;
        this.fit = fit;
        this.runProgress = runProgress;
        this.saving = saving;
        this.averaged = averaged;
        this.tuning = tuning;
        this.modelSaver = modelSaver;
    }

    /** Writes the model into a folder, with the other members where they hold parts of it. */
    interface ModelSaver {
        void save(Path folder, Evaluation evaluation, int epochs, CheckpointSession together);
    }

    void rate(double rate) {
        learningRate = rate;
    }

    void agreed(Outcome outcome) {
        lastLoss = outcome.loss();
        samplesSeen += outcome.samples();
    }

    @Override
    public Path saveCheckpoint(Path folder, int keep) {
        return saving.save(folder, keep);
    }

    @Override
    public Model model() {
        return model;
    }

    @Override
    public TrainingConfig recipe() {
        return recipe;
    }

    @Override
    public int epoch() {
        return runProgress.epoch() + 1;
    }

    @Override
    public int epochs() {
        return fit.epochs();
    }

    @Override
    public long step() {
        return runProgress.step();
    }

    @Override
    public long stepOfEpoch() {
        return runProgress.stepOfEpoch();
    }

    /** The strategy knows how many updates an epoch has; it is left to the batches where it does not. */
    void updatesPerEpoch(OptionalLong count) {
        stepsPerEpoch = count.isPresent() ? count : stepsPerEpoch;
    }

    @Override
    public OptionalLong stepsPerEpoch() {
        if (stepsPerEpoch == null) { // to know it a source may have to look into its files
            OptionalLong batches = data.batches();
            stepsPerEpoch = batches.isEmpty()
                    ? batches
                    : OptionalLong.of((batches.getAsLong() + fit.accumulate() - 1) / fit.accumulate());
        }
        return stepsPerEpoch;
    }

    @Override
    public long samplesSeen() {
        return samplesSeen;
    }

    @Override
    public double learningRate() {
        return learningRate;
    }

    @Override
    public Map<String, String> settings() {
        return tuning.settings();
    }

    @Override
    public void configure(String key, String value) {
        tuning.configure(key, value);
    }

    @Override
    public double lastLoss() {
        return lastLoss;
    }

    @Override
    public Evaluation soFar() {
        return runProgress.totals().value();
    }

    @Override
    public boolean isChief() {
        return tuning.isChief();
    }

    @Override
    public List<EpochResult> finished() {
        return List.copyOf(runProgress.finished());
    }

    @Override
    public void stop(String reason) {
        stopReason = reason;
    }

    @Override
    public boolean stopping() {
        return stopReason != null || interrupted();
    }

    @Override
    public boolean interrupted() {
        return fit.interrupted().getAsBoolean();
    }

    /**
     * What there is to tell of a run that is over.
     *
     * @param ended whether that was before all epochs were done
     * @param interrupted whether a member was interrupted, this one or another
     */
    History history(boolean ended, boolean interrupted, TimeReport times, StrategyReport strategy) {
        History.Ending ending =
                interrupted ? History.Ending.INTERRUPTED : ended ? History.Ending.STOPPED : History.Ending.COMPLETED;
        return new History(
                runProgress.finished(),
                ending,
                Optional.ofNullable(interrupted ? "interrupted" : stopReason),
                times,
                strategy);
    }

    @Override
    public void saveModel(Path folder) {
        List<EpochResult> finished = runProgress.finished();
        EpochResult last = finished.isEmpty() ? null : finished.get(finished.size() - 1);
        Evaluation evaluation = last == null ? null : last.measured();
        try (MovingAverage.Swap swap = averaged.swapIn()) {
            modelSaver.save(folder, evaluation, finished.size(), saving);
        }
    }
}
