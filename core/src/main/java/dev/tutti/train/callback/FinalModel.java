package dev.tutti.train.callback;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Saves the model when training has come to an end and was not interrupted, while all members are there: where they hold parts of the model,
 * each writes its own.
 */
public final class FinalModel implements Callback {
    private final Path folder;
    private boolean saved;

    FinalModel(Path folder) {
        this.folder = folder;
    }

    @Override
    public void end(Run run, Optional<Throwable> failure) {
        boolean complete = run.finished().size() >= run.epochs();
        if (failure.isEmpty() && run.isChief() && (complete || !run.interrupted())) {
            run.saveModel(folder);
            saved = true;
        }
    }

    /** Whether the model was saved here. */
    public boolean isSaved() {
        return saved;
    }
}
