package dev.tutti.tune.search;

import dev.tutti.tune.SearchSpace;
import dev.tutti.tune.TrialTable;
import dev.tutti.tune.TuneSettings;

/** Chooses the point of the next trial from what the trials before it have shown. */
@FunctionalInterface
public interface Searcher {
    /**
     * The next point, one number of the unit interval for each dimension.
     *
     * @param number the number of the trial to be made; the same table and number give the same point
     */
    double[] suggest(TrialTable trials, int number);

    /** The searcher that the settings name. */
    static Searcher of(SearchSpace space, TuneSettings settings) {
        return switch (settings.search()) {
            case RANDOM -> new RandomSearcher(space, settings.seed());
            case TPE -> new TpeSearcher(space, settings.seed());
        };
    }
}
