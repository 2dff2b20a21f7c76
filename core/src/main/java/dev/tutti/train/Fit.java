package dev.tutti.train;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.data.Dataset;
import dev.tutti.json.Definition;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.ProgressBar;
import dev.tutti.train.callback.Run;
import dev.tutti.train.replica.Strategy;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * How long and how to train: {@code epochs(3).validate(test).callbacks(checkpoint(dir).keep(3))}.
 *
 * <p>Immutable: every method returns a changed copy. Written as JSON it holds what all members have in common: epochs, validation data,
 * accumulation and strategy.
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public final class Fit extends Definition {
    private int epochs = 1;
    private Dataset validation;
    private int accumulate = 1;
    private Strategy strategy;

    @JsonIgnore
    private List<Callback> callbacks = List.of();

    @JsonIgnore
    private Path resumeFrom;

    @JsonIgnore
    private Launcher launcher = Launcher.here();

    @JsonIgnore
    private boolean quiet;

    @JsonIgnore
    private BooleanSupplier interrupted = () -> false;

    private Fit() {}

    /** Goes through the data so many times. */
    public static Fit epochs(int count) {
        return new Fit().copy((Fit c) -> c.epochs = count);
    }

    @Override
    public void validate() {
        if (epochs < 1) {
            throw new TrainingException("expected at least 1 epoch, received " + epochs);
        }
        if (accumulate < 1) {
            throw new TrainingException("an update takes at least 1 batch, received accumulate " + accumulate);
        }
    }

    /** Evaluates on other data after each epoch. */
    public Fit validate(Dataset data) {
        return copy(c -> c.validation = data);
    }

    /** Adds callbacks, called in order. */
    public Fit callbacks(Callback... more) {
        List<Callback> all = new ArrayList<>(callbacks);
        all.addAll(List.of(more));
        return copy(c -> c.callbacks = List.copyOf(all));
    }

    /** Several batches make one update, as if they were one large batch. */
    public Fit accumulate(int batches) {
        return copy(c -> c.accumulate = batches);
    }

    /** Goes on from the newest sound checkpoint in the folder; begins anew when there is none. */
    public Fit resume(Path checkpoints) {
        return copy(c -> c.resumeFrom = checkpoints);
    }

    /** Chooses where training runs, such as on threads of this JVM. */
    public Fit on(Launcher place) {
        return copy(c -> c.launcher = place);
    }

    /** Chooses how members agree; otherwise the place where training runs has a default: {@link Launcher#defaultStrategy}. */
    public Fit with(Strategy choice) {
        return copy(c -> c.strategy = choice);
    }

    /**
     * Shows nothing by default. Otherwise, where standard error is a terminal, a progress bar is drawn on it, unless one of the callbacks
     * shows progress itself.
     */
    public Fit quiet() {
        return copy(c -> c.quiet = true);
    }

    /** The same with a progress bar on a terminal, unless it is not wanted or another callback has one. */
    Fit showingProgress(boolean onTerminal, PrintStream out) {
        boolean shown = !onTerminal || quiet || callbacks.stream().anyMatch(Callback::showsProgress);
        return shown ? this : callbacks(new ProgressBar(out, true));
    }

    /** Ends training in good order once this says true. */
    public Fit until(BooleanSupplier stop) {
        return copy(c -> c.interrupted = stop);
    }

    /** How often the data is gone through. */
    public int epochs() {
        return epochs;
    }

    /** What is evaluated after each epoch. */
    public Optional<Dataset> validation() {
        return Optional.ofNullable(validation);
    }

    public List<Callback> callbacks() {
        return callbacks;
    }

    /** Batches that make one update. */
    public int accumulate() {
        return accumulate;
    }

    /** The folder of checkpoints to go on from. */
    public Optional<Path> resumeFrom() {
        return Optional.ofNullable(resumeFrom);
    }

    /** What supplies the members. */
    public Launcher launcher() {
        return launcher;
    }

    /** How members agree: as was chosen, or by the default of the place where training runs. */
    public Strategy strategy() {
        return strategy == null ? launcher.defaultStrategy() : strategy;
    }

    /** Asked after each step; true ends training as a call of {@link Run#stop} does. */
    public BooleanSupplier interrupted() {
        return interrupted;
    }

    /** Where checkpoints of the run may be: those it saves, then those it goes on from. */
    List<Path> checkpointFolders() {
        List<Path> folders = new ArrayList<>();
        callbacks.forEach(callback -> callback.checkpointFolder().ifPresent(folders::add));
        resumeFrom().ifPresent(folders::add);
        return folders;
    }
}
