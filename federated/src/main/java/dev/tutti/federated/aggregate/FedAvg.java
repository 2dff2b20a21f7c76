package dev.tutti.federated.aggregate;

import dev.tutti.federated.ClientUpdate;

/** The mean of the clients' models, weighted by their samples (McMahan et al. 2017). */
public final class FedAvg extends Aggregation {
    private boolean weighted = true;

    /** Whether clients count by their samples; otherwise all count alike. */
    public FedAvg weighted(boolean on) {
        return this.<FedAvg>copy(c -> c.weighted = on);
    }

    @Override
    public Aggregator open(int size, double rate) {
        return new MeanAggregator(size, weighted);
    }

    /** Moves the model by the mean of the updates. */
    static final class MeanAggregator extends StatelessAggregator {
        private final WeightedSum sum;
        private final boolean weighted;

        MeanAggregator(int size, boolean weighted) {
            sum = new WeightedSum(size);
            this.weighted = weighted;
        }

        @Override
        void clear() {
            sum.clear();
        }

        @Override
        public void add(ClientUpdate update) {
            sum.add(update.delta(), weighted ? update.samples() : 1);
        }

        @Override
        public float[] finish() {
            return moved(sum);
        }
    }
}
