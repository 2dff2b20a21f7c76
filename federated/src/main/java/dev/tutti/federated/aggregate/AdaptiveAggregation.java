package dev.tutti.federated.aggregate;

import dev.tutti.json.Definition;
import java.util.function.Consumer;

/** The adaptive server optimizers of Reddi et al. 2021; {@code tau} keeps steps bounded where updates are small. */
abstract class AdaptiveAggregation<S extends AdaptiveAggregation<S>> extends Aggregation {
    private double eta;
    private double beta1;
    private double beta2;
    private double tau = 1e-3;

    AdaptiveAggregation(double eta, double beta1, double beta2) {
        this.eta = eta;
        this.beta1 = beta1;
        this.beta2 = beta2;
    }

    final double eta() {
        return eta;
    }

    final double beta1() {
        return beta1;
    }

    final double beta2() {
        return beta2;
    }

    final double tau() {
        return tau;
    }

    /** The server's learning rate. */
    public S eta(double rate) {
        return with(c -> c.eta = rate);
    }

    public S betas(double first, double second) {
        return with(c -> {
            c.beta1 = first;
            c.beta2 = second;
        });
    }

    public S tau(double least) {
        return with(c -> c.tau = least);
    }

    private S with(Consumer<AdaptiveAggregation<S>> change) {
        @SuppressWarnings("unchecked")
        S changed = (S) this.<Definition>copy(c -> {
            @SuppressWarnings("unchecked")
            AdaptiveAggregation<S> self = (AdaptiveAggregation<S>) c;
            change.accept(self);
        });
        return changed;
    }

    @Override
    public void validate() {
        setting("eta", eta).above(0);
        setting("beta1", beta1).atLeast(0).below(1);
        setting("beta2", beta2).atLeast(0).below(1);
        setting("tau", tau).above(0);
    }
}
