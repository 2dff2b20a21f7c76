package dev.tutti.tune.schedule;

import dev.tutti.tune.SearchSpace;
import dev.tutti.tune.Trial;
import dev.tutti.tune.TrialTable;
import dev.tutti.tune.TuneSettings;
import java.util.Optional;

/**
 * Decides which trial a free place works on, and after each epoch whether it goes on.
 *
 * <p>A scheduler has no state: both answers follow from the table alone, so a search that was killed goes on by reading its journal.
 */
public interface TrialScheduler {
    /** What a free place does. */
    sealed interface Work {
        /** Makes another trial, where the number of trials allows it. */
        record Make() implements Work {}

        /** Goes on with a trial. */
        record GoOn(Trial trial) implements Work {}

        /** Goes on with a trial that takes over parameters and perturbed settings from another one at its checkpoint. */
        record Exchange(Trial trial, Optional<Trial> source) implements Work {}
    }

    /**
     * The work for a free place; empty if there is none until another trial has told something, or at all.
     *
     * @param mayMake whether another trial can be made
     */
    Optional<Work> next(TrialTable trials, boolean mayMake);

    /** Whether a trial goes on after an epoch that is in the table already; otherwise it waits with a checkpoint. */
    boolean goesOn(TrialTable trials, Trial trial, int epoch);

    /**
     * The scheduler that the settings name.
     *
     * @param epochs those of a whole training
     */
    static TrialScheduler of(SearchSpace space, TuneSettings settings, int epochs) {
        return switch (settings.scheduler()) {
            case NONE -> new RunToEnd();
            case ASHA -> new Asha(settings.grace(), settings.reduction(), epochs);
            case HYPERBAND -> new Hyperband(settings.reduction(), epochs);
            case PBT -> new PopulationTraining(settings.trials(), settings.interval(), settings.seed());
        };
    }
}
