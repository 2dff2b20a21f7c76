package dev.tutti.federated.aggregate;

/** Adagrad at the server, without momentum. */
public final class FedAdagrad extends AdaptiveAggregation<FedAdagrad> {
    public FedAdagrad() {
        super(0.1, 0, 0);
    }

    @Override
    public Aggregator open(int size, double rate) {
        return new ServerStep(size, "second") {
            @Override
            double step(int i, double delta) {
                float[] v = vector("second");
                v[i] = (float) (v[i] + delta * delta);
                return eta() * delta / (Math.sqrt(v[i]) + tau());
            }
        };
    }
}
