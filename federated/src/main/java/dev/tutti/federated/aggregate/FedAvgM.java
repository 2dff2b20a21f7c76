package dev.tutti.federated.aggregate;

/** FedAvg with momentum at the server (Hsu et al. 2019). */
public final class FedAvgM extends Aggregation {
    private double momentum = 0.9;
    private double eta = 1;

    public FedAvgM momentum(double newMomentum) {
        return this.<FedAvgM>copy(c -> c.momentum = newMomentum);
    }

    /** The server's learning rate; 1 by default. */
    public FedAvgM eta(double rate) {
        return this.<FedAvgM>copy(c -> c.eta = rate);
    }

    @Override
    public void validate() {
        setting("momentum", momentum).atLeast(0).below(1);
        setting("eta", eta).above(0);
    }

    @Override
    public Aggregator open(int size, double rate) {
        return new ServerStep(size, "velocity") {
            @Override
            double step(int i, double delta) {
                float[] velocity = vector("velocity");
                velocity[i] = (float) (momentum * velocity[i] + delta);
                return eta * velocity[i];
            }
        };
    }
}
