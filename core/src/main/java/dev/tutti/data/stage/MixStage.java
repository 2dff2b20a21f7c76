package dev.tutti.data.stage;

import dev.tutti.data.DataException;
import dev.tutti.data.RowRandom;
import java.util.Arrays;
import java.util.OptionalLong;

/**
 * Draws from the parts of a source that lie one behind the other, each as often as its share says: in proportion to its rows at
 * temperature 1, more and more alike the higher the temperature is. An epoch has as many rows as there are, and each part goes through
 * all of its own rows exactly once before it begins again, over as many epochs as that takes.
 */
public final class MixStage extends Stage {
    private long[] sizes = {};
    private double temperature = 1;
    private Double lastTemperature;
    private int overEpochs = 1;
    private long seed;

    private MixStage() {}

    /**
     * @param sizes the rows of each part
     * @param temperature shares are {@code rows ^ (1 / temperature)}
     */
    public MixStage(long[] sizes, double temperature, long seed) {
        this.sizes = sizes.clone();
        this.temperature = temperature;
        this.seed = seed;
    }

    /** The same with a temperature that goes to another one, evenly over so many epochs. */
    public MixStage until(double last, int epochs) {
        MixStage copy = new MixStage(sizes, temperature, seed);
        copy.lastTemperature = last;
        copy.overEpochs = epochs;
        return copy;
    }

    @Override
    public void check() {
        boolean wrong = sizes.length == 0
                || Arrays.stream(sizes).anyMatch(size -> size < 1)
                || !(temperature > 0)
                || lastTemperature != null && !(lastTemperature > 0)
                || overEpochs < 1;
        if (wrong) {
            throw new DataException("mix: expected parts with rows and temperatures above 0, received sizes "
                    + Arrays.toString(sizes) + " and temperature " + temperature);
        }
    }

    /** How many rows of each part an epoch has; together as many as there are rows. */
    public long[] counts(long epoch) {
        long total = Arrays.stream(sizes).sum();
        double at = lastTemperature == null
                ? temperature
                : temperature + (lastTemperature - temperature) * Math.min(1, epoch / (double) overEpochs);
        double[] shares =
                Arrays.stream(sizes).mapToDouble(size -> Math.pow(size, 1 / at)).toArray();
        double sum = Arrays.stream(shares).sum();
        long[] counts = new long[sizes.length];
        double exact = 0;
        long given = 0;
        for (int i = 0; i < counts.length; i++) { // rounding carries over, so that nothing is lost
            exact += total * shares[i] / sum;
            counts[i] = Math.round(exact) - given;
            given += counts[i];
        }
        return counts;
    }

    /** The row of a part that is drawn at a place of its own count, over all epochs. */
    private long row(int part, long drawn) {
        long own = drawn / sizes[part];
        return new Permutation(sizes[part], RowRandom.seed(seed, part, own)).at(drawn % sizes[part]);
    }

    @Override
    public boolean variesByEpoch() {
        return true;
    }

    @Override
    public OptionalLong size(OptionalLong before) {
        return before;
    }

    @Override
    RowView view(Upstream upstream, long epoch) {
        RowView below = upstream.view(epoch);
        if (below == null) {
            throw new DataException(
                    "mix: the rows of the tasks cannot be reached by their place: put a cache below it");
        }
        if (below.size() != Arrays.stream(sizes).sum()) {
            throw new DataException("mix: expected parts with " + Arrays.toString(sizes)
                    + " rows, received a source with " + below.size());
        }
        long[] counts = counts(epoch);
        long[] before = new long[sizes.length];
        for (long earlier = 0; earlier < epoch; earlier++) {
            long[] then = counts(earlier);
            for (int i = 0; i < before.length; i++) {
                before[i] += then[i];
            }
        }
        Permutation order = new Permutation(below.size(), RowRandom.seed(seed, -1, epoch));
        return new IndexView(below, below.size()) {
            @Override
            long placeBelow(long place) {
                long left = order.at(place);
                long offset = 0;
                int part = 0;
                while (left >= counts[part]) {
                    left -= counts[part];
                    offset += sizes[part];
                    part++;
                }
                return offset + row(part, before[part] + left);
            }
        };
    }

    @Override
    RowFlow flow(Upstream upstream, long epoch, StageCounters saved) {
        throw new DataException("mix: the rows of the tasks cannot be reached by their place: put a cache below it");
    }

    @Override
    public String toString() {
        return "mix(" + Arrays.toString(sizes) + ", " + temperature + ")";
    }
}
