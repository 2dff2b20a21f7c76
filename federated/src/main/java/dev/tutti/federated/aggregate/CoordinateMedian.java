package dev.tutti.federated.aggregate;

import dev.tutti.federated.ClientUpdate;
import java.util.Arrays;
import java.util.List;

/** The median of the updates at every place (Yin et al. 2018); all clients count alike. */
public final class CoordinateMedian extends Aggregation {
    @Override
    public boolean needsSumOnly() {
        return false;
    }

    @Override
    public Aggregator open(int size, double rate) {
        return new KeepingAggregator(this) {
            @Override
            float[] combine(List<ClientUpdate> all) {
                float[] median = new float[size];
                float[] column = new float[all.size()];
                for (int i = 0; i < size; i++) {
                    for (int k = 0; k < column.length; k++) {
                        column[k] = all.get(k).delta()[i];
                    }
                    median[i] = median(column);
                }
                return median;
            }
        };
    }

    /** The median; sorts the values. */
    static float median(float[] values) {
        Arrays.sort(values);
        int middle = values.length / 2;
        return values.length % 2 == 1 ? values[middle] : (float) ((values[middle - 1] + (double) values[middle]) / 2);
    }
}
