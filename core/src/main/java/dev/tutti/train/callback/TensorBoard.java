package dev.tutti.train.callback;

import dev.tutti.io.EventWriter;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Evaluation;
import java.nio.file.Path;
import java.util.Optional;

/** Writes what TensorBoard shows: loss and rate during the epoch, metrics and histograms of the weights after it. */
public final class TensorBoard implements Callback {
    private final Path folder;
    private final long everySteps;
    private EventWriter writer;

    TensorBoard(Path folder) {
        this(folder, 10);
    }

    private TensorBoard(Path folder, long everySteps) {
        this.folder = folder;
        this.everySteps = everySteps;
    }

    /** Loss and rate are written after every so many steps; 10 by default. */
    public TensorBoard everySteps(long steps) {
        return new TensorBoard(folder, steps);
    }

    @Override
    public void begin(Run run) {
        writer = EventWriter.open(folder);
    }

    @Override
    public void step(Run run) {
        if (run.step() % everySteps == 0) {
            writer.scalar("step/loss", run.step(), run.lastLoss());
            writer.scalar("step/learning_rate", run.step(), run.learningRate());
        }
    }

    @Override
    public void epoch(Run run, EpochResult result) {
        write("training/", result.steps(), result.training());
        result.validation().ifPresent(validation -> write("validation/", result.steps(), validation));
        run.model().arrays().forEach((name, array) -> writer.histogram("weights/" + name, result.steps(), array));
        writer.flush();
    }

    private void write(String prefix, long step, Evaluation evaluation) {
        writer.scalar(prefix + "loss", step, evaluation.loss());
        evaluation.metrics().forEach((metric, value) -> writer.scalar(prefix + metric, step, value));
    }

    @Override
    public void end(Run run, Optional<Throwable> failure) {
        if (writer != null) {
            writer.close();
        }
    }
}
