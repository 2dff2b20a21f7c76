package dev.tutti.federated.aggregate;

/** Adam at the server, with the bias correction that Flower has: its powers are one round ahead. */
public final class FedAdam extends AdaptiveAggregation<FedAdam> {
    public FedAdam() {
        super(0.1, 0.9, 0.99);
    }

    @Override
    public Aggregator open(int size, double rate) {
        return new ServerStep(size, "first", "second") {
            private double corrected;

            @Override
            void prepare(long round) {
                corrected =
                        eta() * Math.sqrt(1 - Math.pow(beta2(), round + 1.0)) / (1 - Math.pow(beta1(), round + 1.0));
            }

            @Override
            double step(int i, double delta) {
                float[] m = vector("first");
                float[] v = vector("second");
                m[i] = (float) (beta1() * m[i] + (1 - beta1()) * delta);
                v[i] = (float) (beta2() * v[i] + (1 - beta2()) * delta * delta);
                return corrected * m[i] / (Math.sqrt(v[i]) + tau());
            }
        };
    }
}
