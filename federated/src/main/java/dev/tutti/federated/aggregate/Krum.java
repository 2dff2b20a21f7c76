package dev.tutti.federated.aggregate;

import dev.tutti.federated.ClientUpdate;
import java.util.List;
import java.util.stream.IntStream;

/** The one update that is nearest to the others, or the mean of some such (Blanchard et al. 2017). */
public final class Krum extends Aggregation {
    private int malicious = 1;
    private int keep = 1;

    /** Updates that may be anything; 1 by default. */
    public Krum malicious(int count) {
        return this.<Krum>copy(c -> c.malicious = count);
    }

    /** Updates whose mean is taken: 1 is Krum, more is multi-Krum. */
    public Krum keep(int count) {
        return this.<Krum>copy(c -> c.keep = count);
    }

    @Override
    public void validate() {
        setting("malicious", malicious).atLeast(0);
        setting("keep", keep).atLeast(1);
    }

    @Override
    public int least() {
        return Math.max(2 * malicious + 3, keep);
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
                List<Integer> places = IntStream.range(0, all.size()).boxed().toList();
                List<Integer> chosen = new KrumScores(all, malicious).lowest(places, keep);
                return mean(chosen.stream().map(all::get).toList());
            }
        };
    }
}
