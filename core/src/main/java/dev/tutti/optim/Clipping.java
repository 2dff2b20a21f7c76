package dev.tutti.optim;

import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;

/**
 * Keeps gradients from growing out of bounds: each one by {@code value}, then all together by the length of their
 * vector.
 *
 * <p>Where each member of a job holds only a part of the gradients: {@link #clipValues} on each part, add up
 * {@link #squaredNorm} over the members, and {@link #scale} each part by the root of the sum.
 *
 * @param norm the greatest length of the vector; 0 means any
 * @param value the greatest size of one gradient; 0 means any
 */
public record Clipping(double norm, double value) {
    public static final Clipping NONE = new Clipping(0, 0);

    public boolean isOn() {
        return norm > 0 || value > 0;
    }

    /** Clips the gradients in place and returns the length they had, or NaN when lengths are not limited. */
    public double apply(Tensor gradients) {
        clipValues(gradients);
        if (norm <= 0) {
            return Double.NaN;
        }
        try (Scope scope = Scope.open()) {
            double length = gradients.norm().item();
            scale(gradients, length);
            return length;
        }
    }

    /** Cuts each gradient to the allowed size, in place. */
    public void clipValues(Tensor gradients) {
        if (value > 0) {
            try (Scope scope = Scope.open()) {
                gradients.clamp_(-value, value);
            }
        }
    }

    /** The square of the length of a part of the gradients: those of all parts add up to that of the whole. */
    public static double squaredNorm(Tensor part) {
        try (Scope scope = Scope.open()) {
            double length = part.norm().item();
            return length * length;
        }
    }

    /**
     * Scales gradients in place when the length of the whole vector exceeds the limit. A length that is not finite
     * changes nothing: scaling would spread it to every parameter and hide where it came from.
     */
    public void scale(Tensor gradients, double length) {
        if (norm > 0 && length > norm && Double.isFinite(length)) {
            try (Scope scope = Scope.open()) {
                gradients.mul_(norm / length);
            }
        }
    }
}
