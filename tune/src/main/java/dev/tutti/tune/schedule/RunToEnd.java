package dev.tutti.tune.schedule;

import dev.tutti.tune.Trial;
import dev.tutti.tune.TrialState;
import dev.tutti.tune.TrialTable;
import java.util.Optional;

/** Every trial does all of its epochs. */
public final class RunToEnd implements TrialScheduler {
    @Override
    public Optional<Work> next(TrialTable trials, boolean mayMake) {
        Optional<Work> waiting = waiting(trials);
        return waiting.isPresent() || !mayMake ? waiting : Optional.of(new Work.Make());
    }

    @Override
    public boolean goesOn(TrialTable trials, Trial trial, int epoch) {
        return true;
    }

    /** A trial whose process was lost, or that was made and not begun. */
    static Optional<Work> waiting(TrialTable trials) {
        return trials.trials().stream()
                .filter(trial -> trial.state() == TrialState.WAITING)
                .findFirst()
                .map(Work.GoOn::new);
    }
}
