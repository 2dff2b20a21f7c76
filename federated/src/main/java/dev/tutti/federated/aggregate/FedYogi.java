package dev.tutti.federated.aggregate;

/** Yogi at the server: the second moment moves by no more than the square of the update. */
public final class FedYogi extends AdaptiveAggregation<FedYogi> {
    public FedYogi() {
        super(0.01, 0.9, 0.99);
    }

    @Override
    public Aggregator open(int size, double rate) {
        return new ServerStep(size, "first", "second") {
            @Override
            double step(int i, double delta) {
                float[] m = vector("first");
                float[] v = vector("second");
                double square = delta * delta;
                m[i] = (float) (beta1() * m[i] + (1 - beta1()) * delta);
                v[i] = (float) (v[i] - (1 - beta2()) * square * Math.signum(v[i] - square));
                return eta() * m[i] / (Math.sqrt(v[i]) + tau());
            }
        };
    }
}
