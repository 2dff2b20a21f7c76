package dev.tutti.train.callback;

import dev.tutti.train.checkpoint.CheckpointSaver;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/** The callbacks, to be imported statically. */
public final class Callbacks {
    private Callbacks() {}

    /** A live progress bar on standard output; plain lines where standard output is not a terminal. */
    public static Callback progress() {
        return ProgressBar.ofProcess();
    }

    /** A live progress bar; plain lines where the stream is no terminal. */
    public static Callback progress(PrintStream out, boolean terminal) {
        return new ProgressBar(out, terminal);
    }

    /** Saves checkpoints in a folder, after each epoch and when training ends early. */
    public static CheckpointSaver checkpoint(Path folder) {
        return new CheckpointSaver(folder);
    }

    /** Stops when a value has not improved for some epochs. */
    public static EarlyStopping earlyStopping(String metric, int patience) {
        return new EarlyStopping(metric, patience);
    }

    /** Saves the model whenever a value is better than ever before. */
    public static BestModel bestModel(Path folder, String metric) {
        return new BestModel(folder, metric);
    }

    /** Saves the model at the end of training; a model that is in parts is saved in parts, by all members at once. */
    public static FinalModel finalModel(Path folder) {
        return new FinalModel(folder);
    }

    /** Writes scalars, learning rate and histograms of the weights for TensorBoard. */
    public static TensorBoard tensorBoard(Path folder) {
        return new TensorBoard(folder);
    }

    /** Logs the run to an MLflow tracking server, such as {@code http://127.0.0.1:5000}, under an experiment. */
    public static Mlflow mlflow(URI server, String experiment) {
        return new Mlflow(server, experiment, Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** Writes a line for each epoch into a CSV file. */
    public static Callback csv(Path file) {
        return new CsvLog(file);
    }

    /** Writes a timeline of all members that Chrome's trace viewer and Perfetto open. */
    public static Callback trace(Path file) {
        return new Trace(file);
    }

    /** Logs the learning rate whenever it has changed by more than a tenth. */
    public static Callback learningRateLog() {
        return new LearningRateLog();
    }

    /** Fails as soon as the loss is not a number any more. */
    public static Callback stopOnNan() {
        return new StopOnNan();
    }
}
