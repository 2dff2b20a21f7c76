package dev.tutti.tensor.quantized;

/**
 * Between which values an activation lies, as calibration has seen it. Zero is always inside, so that padding stays exact.
 *
 * @param low at most 0
 * @param high at least 0
 */
public record ActivationRange(double low, double high) {
    public ActivationRange {
        if (!(Double.isFinite(low) && Double.isFinite(high))) {
            throw new IllegalArgumentException("expected a range of numbers, received " + low + " to " + high
                    + ": the model gives values that are none");
        }
        low = Math.min(0, low);
        high = Math.max(0, high);
    }

    public ActivationRange with(ActivationRange other) {
        return new ActivationRange(Math.min(low, other.low), Math.max(high, other.high));
    }

    /** What is left of it behind a rectifier. */
    public ActivationRange rectified() {
        return new ActivationRange(0, high);
    }

    /** What one of so many steps is worth. */
    double scale(int steps) {
        return Math.max((high - low) / steps, 1e-12);
    }

    /** The step that stands for 0. */
    long zero(int steps) {
        return Math.round(Math.min(steps, Math.max(0, -low / scale(steps))));
    }
}
