package dev.tutti.strategy.averaging;

import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.TrainingException;
import java.util.Map;

/**
 * Nesterov's momentum over rounds, as in DiLoCo: with {@code delta = anchor - average},
 *
 * <pre>
 * velocity = momentum * velocity + delta
 * values   = anchor - rate * (delta + momentum * velocity)
 * </pre>
 */
final class NesterovOuter implements OuterOptimizer {
    private double rate = 0.7;
    private double momentum = 0.9;

    private NesterovOuter() {}

    NesterovOuter(double rate, double momentum) {
        this.rate = rate;
        this.momentum = momentum;
        validate();
    }

    @Override
    public void validate() {
        if (!(rate > 0) || Double.isInfinite(rate)) {
            throw new TrainingException("nesterov: rate must be above 0 and finite, received " + rate);
        }
        if (!(momentum >= 0) || momentum >= 1) {
            throw new TrainingException("nesterov: momentum must be at least 0 and below 1, received " + momentum);
        }
    }

    @Override
    public Move bind(Tensor values) {
        return new Velocity(values);
    }

    @Override
    public String toString() {
        return "nesterov(" + rate + ", " + momentum + ")";
    }

    private final class Velocity implements Move {
        private final Tensor velocity;

        Velocity(Tensor values) {
            try (Scope scope = Scope.open();
                    NoGradients off = NoGradients.begin()) {
                velocity = Tensor.zeros(values.shape(), values.type(), values.device())
                        .retain();
            }
        }

        @Override
        public void apply(Tensor anchor, Tensor values) {
            try (Scope scope = Scope.open();
                    NoGradients off = NoGradients.begin()) {
                Tensor delta = anchor.sub(values);
                velocity.mul_(momentum).add_(delta);
                values.copy_(anchor).add_(delta.add_(velocity, momentum), -rate);
            }
        }

        @Override
        public Map<String, Tensor> state() {
            return Map.of("outer.velocity", velocity);
        }

        @Override
        public void close() {
            velocity.close();
        }
    }
}
