package dev.tutti.tune.search;

import dev.tutti.tune.SearchSpace;
import dev.tutti.tune.TrialTable;
import java.util.SplittableRandom;

/** Points without regard to what was seen: the twin that others are compared with. */
public final class RandomSearcher implements Searcher {
    private static final long STRIDE = 0x9E3779B97F4A7C15L;

    private final int dimensions;
    private final long seed;

    public RandomSearcher(SearchSpace space, long seed) {
        this.dimensions = space.dimensions().size();
        this.seed = seed;
    }

    @Override
    public double[] suggest(TrialTable trials, int number) {
        return random(seed, number).doubles(dimensions).toArray();
    }

    /** What the numbers of a trial follow from. */
    static SplittableRandom random(long seed, int number) {
        return new SplittableRandom(new SplittableRandom(seed ^ number * STRIDE).nextLong());
    }
}
