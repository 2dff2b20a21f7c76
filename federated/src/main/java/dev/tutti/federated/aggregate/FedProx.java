package dev.tutti.federated.aggregate;

import dev.tutti.federated.LocalRules;

/** FedAvg whose clients are held to the model of the round by {@code mu/2 |w - w0|^2} (Li et al. 2020). */
public final class FedProx extends Aggregation {
    private double mu = 0.01;

    public FedProx mu(double newMu) {
        return this.<FedProx>copy(c -> c.mu = newMu);
    }

    @Override
    public void validate() {
        setting("mu", mu).atLeast(0);
    }

    @Override
    public LocalRules local() {
        return new LocalRules(mu, false, false);
    }

    @Override
    public Aggregator open(int size, double rate) {
        return new FedAvg.MeanAggregator(size, true);
    }
}
