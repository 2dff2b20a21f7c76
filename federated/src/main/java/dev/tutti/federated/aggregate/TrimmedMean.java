package dev.tutti.federated.aggregate;

import dev.tutti.federated.ClientUpdate;
import java.util.Arrays;
import java.util.List;

/** The mean at every place without the lowest and the highest part of the updates (Yin et al. 2018); all clients count alike. */
public final class TrimmedMean extends Aggregation {
    private double beta = 0.2;

    /** The part that is cut off at each end; 0.2 by default. */
    public TrimmedMean beta(double part) {
        return this.<TrimmedMean>copy(c -> c.beta = part);
    }

    @Override
    public void validate() {
        setting("beta", beta).atLeast(0).below(0.5);
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
                int cut = (int) (beta * all.size());
                float[] mean = new float[size];
                float[] column = new float[all.size()];
                for (int i = 0; i < size; i++) {
                    for (int k = 0; k < column.length; k++) {
                        column[k] = all.get(k).delta()[i];
                    }
                    Arrays.sort(column);
                    double sum = 0;
                    for (int k = cut; k < column.length - cut; k++) {
                        sum += column[k];
                    }
                    mean[i] = (float) (sum / (column.length - 2 * cut));
                }
                return mean;
            }
        };
    }
}
