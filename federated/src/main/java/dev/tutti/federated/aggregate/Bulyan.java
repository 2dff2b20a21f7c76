package dev.tutti.federated.aggregate;

import dev.tutti.federated.ClientUpdate;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Updates chosen by Krum one after the other, then at every place the mean of those nearest to their median (El Mhamdi et al. 2018).
 * It needs {@code 4 f + 3} updates.
 */
public final class Bulyan extends Aggregation {
    private int malicious = 1;

    /** Updates that may be anything; 1 by default. */
    public Bulyan malicious(int count) {
        return this.<Bulyan>copy(c -> c.malicious = count);
    }

    @Override
    public void validate() {
        setting("malicious", malicious).atLeast(0);
    }

    @Override
    public int least() {
        return 4 * malicious + 3;
    }

    @Override
    public boolean needsSumOnly() {
        return false;
    }

    @Override
    public Aggregator open(int size, double rate) {
        return new KeepingAggregator(this) {
            @Override
            float[] combine(List<ClientUpdate> all) {
                List<float[]> chosen = choose(all);
                int keep = chosen.size() - 2 * malicious;
                float[] out = new float[size];
                float[] column = new float[chosen.size()];
                for (int i = 0; i < size; i++) {
                    for (int k = 0; k < column.length; k++) {
                        column[k] = chosen.get(k)[i];
                    }
                    out[i] = nearMedian(column, keep);
                }
                return out;
            }
        };
    }

    private List<float[]> choose(List<ClientUpdate> all) {
        KrumScores scores = new KrumScores(all, malicious);
        List<Integer> rest =
                new ArrayList<>(IntStream.range(0, all.size()).boxed().toList());
        List<float[]> chosen = new ArrayList<>();
        while (chosen.size() < all.size() - 2 * malicious) {
            Integer best = scores.lowest(rest, 1).get(0);
            rest.remove(best);
            chosen.add(all.get(best).delta());
        }
        return chosen;
    }

    /** The mean of so many values that are nearest to the median; they lie side by side when sorted. */
    private static float nearMedian(float[] column, int keep) {
        double median = CoordinateMedian.median(column);
        int from = 0;
        int to = column.length;
        while (to - from > keep) {
            if (median - column[from] > column[to - 1] - median) {
                from++;
            } else {
                to--;
            }
        }
        return (float) (IntStream.range(from, to).mapToDouble(i -> column[i]).sum() / keep);
    }
}
