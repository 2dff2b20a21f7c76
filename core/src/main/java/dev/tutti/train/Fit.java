package dev.tutti.train;

import dev.tutti.data.Dataset;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.checkpoint.CheckpointSaver;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * How long and how to train: {@code epochs(3).validate(test).callbacks(checkpoint(dir).keep(3))}.
 *
 * @param epochs how often the data is gone through
 * @param validation looked at after each epoch; may be null
 * @param callbacks called in order
 * @param accumulate batches that make one update
 * @param resumeFrom folder of checkpoints to go on from, where there are any; may be null
 * @param workplace who supplies the members
 * @param strategy how they agree
 * @param interrupted asked after each step; true ends training as a call of stop does
 */
public record Fit(
        int epochs,
        Dataset validation,
        List<Callback> callbacks,
        int accumulate,
        Path resumeFrom,
        Launcher workplace,
        Strategy strategy,
        BooleanSupplier interrupted) {
    public Fit {
        if (epochs < 1) {
            throw new TrainingException("expected at least 1 epoch, received " + epochs);
        }
        if (accumulate < 1) {
            throw new TrainingException("an update takes at least 1 batch, received accumulate " + accumulate);
        }
        callbacks = List.copyOf(callbacks);
    }

    public static Fit epochs(int count) {
        return new Fit(count, null, List.of(), 1, null, Launcher.here(), Strategy.local(), () -> false);
    }

    /** Evaluates on other data after each epoch. */
    public Fit validate(Dataset data) {
        return new Fit(epochs, data, callbacks, accumulate, resumeFrom, workplace, strategy, interrupted);
    }

    /** Adds callbacks, called in order. */
    public Fit callbacks(Callback... more) {
        List<Callback> all = new ArrayList<>(callbacks);
        all.addAll(List.of(more));
        return new Fit(epochs, validation, all, accumulate, resumeFrom, workplace, strategy, interrupted);
    }

    /** Several batches make one update, as if they were one large batch. */
    public Fit accumulate(int batches) {
        return new Fit(epochs, validation, callbacks, batches, resumeFrom, workplace, strategy, interrupted);
    }

    /** Goes on from the newest sound checkpoint in the folder; begins anew when there is none. */
    public Fit resume(Path checkpoints) {
        return new Fit(epochs, validation, callbacks, accumulate, checkpoints, workplace, strategy, interrupted);
    }

    /** Where checkpoints of the run may be: those it saves, then those it goes on from. */
    List<Path> checkpointFolders() {
        List<Path> folders = new ArrayList<>();
        for (Callback callback : callbacks) {
            if (callback instanceof CheckpointSaver saver) {
                folders.add(saver.folder());
            }
        }
        if (resumeFrom != null) {
            folders.add(resumeFrom);
        }
        return folders;
    }

    /** Chooses where training runs, such as on threads of this JVM. */
    public Fit on(Launcher place) {
        return new Fit(epochs, validation, callbacks, accumulate, resumeFrom, place, strategy, interrupted);
    }

    /** Chooses how members agree. */
    public Fit with(Strategy choice) {
        return new Fit(epochs, validation, callbacks, accumulate, resumeFrom, workplace, choice, interrupted);
    }

    /** Ends training in good order once this says true. */
    public Fit until(BooleanSupplier stop) {
        return new Fit(epochs, validation, callbacks, accumulate, resumeFrom, workplace, strategy, stop);
    }
}
