package dev.tutti.federated.aggregate;

import dev.tutti.federated.ClientUpdate;
import dev.tutti.federated.LocalRules;

/** Clients with a higher loss count more, so that accuracy is spread more evenly (Li et al. 2020); {@code q} 0 is an even mean. */
public final class QFedAvg extends Aggregation {
    private static final double LEAST_LOSS = 1e-10;

    private double q = 0.1;

    public QFedAvg q(double exponent) {
        return this.<QFedAvg>copy(c -> c.q = exponent);
    }

    @Override
    public void validate() {
        setting("q", q).atLeast(0);
    }

    @Override
    public LocalRules local() {
        return new LocalRules(0, false, true);
    }

    @Override
    public boolean needsSumOnly() {
        return false; // the loss of each client weighs its update
    }

    @Override
    public Aggregator open(int size, double rate) {
        double lipschitz = 1 / rate;
        WeightedSum sum = new WeightedSum(size);
        return new StatelessAggregator() {
            private double h;

            @Override
            void clear() {
                sum.clear();
                h = 0;
            }

            @Override
            public void add(ClientUpdate update) {
                double loss = update.lossBefore() + LEAST_LOSS;
                double squares = 0;
                for (float value : update.delta()) {
                    squares += lipschitz * value * lipschitz * value;
                }
                double weight = Math.pow(loss, q);
                sum.add(update.delta(), lipschitz * weight);
                h += q * Math.pow(loss, q - 1) * squares + lipschitz * weight;
            }

            @Override
            public float[] finish() {
                sum.requireSome();
                float[] next = new float[model().length];
                for (int i = 0; i < next.length; i++) {
                    next[i] = (float) (model()[i] + sum.at(i) / h);
                }
                return next;
            }
        };
    }
}
