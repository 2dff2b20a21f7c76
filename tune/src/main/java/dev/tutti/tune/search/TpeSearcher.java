package dev.tutti.tune.search;

import dev.tutti.tune.Dimension;
import dev.tutti.tune.SearchSpace;
import dev.tutti.tune.Trial;
import dev.tutti.tune.TrialTable;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Tree-structured Parzen estimators (Bergstra et al., 2011): the measured trials are divided into the better quarter and the rest, the
 * density of each is estimated, and of some points drawn from the better one's density that with the greatest ratio of both is taken.
 *
 * <p>Trials that were ended early are compared by what they showed at the latest epoch that enough trials have reached, so that half
 * of a training is not held against a whole one.
 */
public final class TpeSearcher implements Searcher {
    private static final int FIRST_RANDOM = 5;
    private static final int CANDIDATES = 24;
    private static final double BETTER_SHARE = 0.25;

    private final SearchSpace space;
    private final long seed;
    private final RandomSearcher first;

    public TpeSearcher(SearchSpace space, long seed) {
        this.space = space;
        this.seed = seed;
        this.first = new RandomSearcher(space, seed);
    }

    @Override
    public double[] suggest(TrialTable trials, int number) {
        List<Trial> ranked = ranked(trials);
        if (ranked.size() < FIRST_RANDOM) {
            return first.suggest(trials, number);
        }
        int better = Math.max(2, (int) Math.ceil(BETTER_SHARE * ranked.size()));
        List<double[]> points =
                ranked.stream().map(trial -> space.point(trial.values())).toList();
        List<double[]> good = points.subList(0, better);
        List<double[]> rest = points.subList(better, points.size());
        SplittableRandom random = RandomSearcher.random(seed, number);
        double[] point = new double[space.dimensions().size()];
        for (int i = 0; i < point.length; i++) {
            Dimension dimension = space.dimensions().get(i);
            ParzenDensity above = ParzenDensity.of(dimension, values(good, i));
            ParzenDensity below = ParzenDensity.of(dimension, values(rest, i));
            double bestRatio = Double.NEGATIVE_INFINITY;
            for (int c = 0; c < CANDIDATES; c++) {
                double candidate = above.draw(random);
                double ratio = Math.log(above.at(candidate)) - Math.log(below.at(candidate));
                if (ratio > bestRatio) {
                    bestRatio = ratio;
                    point[i] = candidate;
                }
            }
        }
        return point;
    }

    /** Trials with a value at the latest epoch that at least {@value #FIRST_RANDOM} have reached, and failed ones last. */
    private static List<Trial> ranked(TrialTable table) {
        int epoch = 0;
        for (Trial trial : table.trials()) {
            for (int at : trial.measured().keySet()) {
                if (at > epoch && table.rankedAt(at).size() >= FIRST_RANDOM) {
                    epoch = at;
                }
            }
        }
        int common = epoch;
        return epoch == 0
                ? List.of()
                : table.trials().stream()
                        .filter(trial -> !trial.measured().isEmpty())
                        .sorted(Comparator.<Trial>comparingInt(
                                        trial -> -Math.min(common, trial.epochs())) // who was ended earlier is worse
                                .thenComparingDouble(trial -> table.cost(
                                        trial.measured().floorEntry(common).getValue())))
                        .toList();
    }

    private static double[] values(List<double[]> points, int dimension) {
        return points.stream().mapToDouble(point -> point[dimension]).toArray();
    }
}
