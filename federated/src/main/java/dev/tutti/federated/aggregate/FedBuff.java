package dev.tutti.federated.aggregate;

import dev.tutti.federated.ClientUpdate;

/**
 * Asynchronous rounds with a buffer (Nguyen et al. 2022): a client trains from the newest model whenever it is free, and every {@code
 * buffer} updates move the model. An update that began {@code s} models ago counts {@code 1 / sqrt(1 + s)}.
 */
public final class FedBuff extends Aggregation {
    private int buffer = 10;
    private int staleness = 20;
    private double eta = 1;

    /** Updates that move the model; 10 by default. */
    public FedBuff buffer(int updates) {
        return this.<FedBuff>copy(c -> c.buffer = updates);
    }

    /** Models by which an update may lag behind; older ones are refused. 20 by default. */
    public FedBuff staleness(int most) {
        return this.<FedBuff>copy(c -> c.staleness = most);
    }

    /** The server's learning rate; 1 by default. */
    public FedBuff eta(double rate) {
        return this.<FedBuff>copy(c -> c.eta = rate);
    }

    public int buffer() {
        return buffer;
    }

    public int staleness() {
        return staleness;
    }

    @Override
    public void validate() {
        setting("buffer", buffer).atLeast(1);
        setting("staleness", staleness).atLeast(0);
        setting("eta", eta).above(0);
    }

    @Override
    public boolean needsSumOnly() {
        return false; // an update's weight follows from its age
    }

    @Override
    public Aggregator open(int size, double rate) {
        WeightedSum sum = new WeightedSum(size);
        return new StaleAggregator(sum);
    }

    private final class StaleAggregator extends StatelessAggregator implements RoundAware {
        private final WeightedSum sum;
        private int round;

        StaleAggregator(WeightedSum sum) {
            this.sum = sum;
        }

        @Override
        public void round(int number) {
            round = number;
        }

        @Override
        void clear() {
            sum.clear();
        }

        @Override
        public void add(ClientUpdate update) {
            sum.add(update.delta(), 1 / Math.sqrt(1.0 + round - update.round()));
        }

        @Override
        public float[] finish() {
            sum.requireSome();
            float[] next = new float[model().length];
            for (int i = 0; i < next.length; i++) {
                next[i] = (float) (model()[i] + eta * sum.at(i) / sum.count());
            }
            return next;
        }
    }
}
