package dev.tutti.optim.schedule;

import java.util.Optional;

/** Lowers the rate whenever the metric has not become better for some epochs. */
public final class ReduceOnPlateau extends Schedule {
    private double factor = 0.1;
    private int patience = 10;
    private double floor;
    private double threshold = 1e-4;
    private int cooldown;
    private String monitor;
    private boolean higherIsBetter;

    private ReduceOnPlateau() {}

    static ReduceOnPlateau defaults() {
        return new ReduceOnPlateau();
    }

    /** What the rate is multiplied by; 0.1 unless told otherwise. */
    public ReduceOnPlateau factor(double newFactor) {
        return copy(c -> c.factor = newFactor);
    }

    /** Epochs without a better value that are borne; the rate falls after one more. */
    public ReduceOnPlateau patience(int epochs) {
        return copy(c -> c.patience = epochs);
    }

    /** The share of the rate that it does not fall below. */
    public ReduceOnPlateau floor(double share) {
        return copy(c -> c.floor = share);
    }

    /** A value counts as better when it beats the best by this share of it. */
    public ReduceOnPlateau threshold(double share) {
        return copy(c -> c.threshold = share);
    }

    /** Epochs after a fall that are not counted. */
    public ReduceOnPlateau cooldown(int epochs) {
        return copy(c -> c.cooldown = epochs);
    }

    /** The metric to go by, instead of the loss. */
    public ReduceOnPlateau monitor(String metric) {
        return copy(c -> c.monitor = metric);
    }

    /** For metrics such as accuracy. */
    public ReduceOnPlateau higherIsBetter() {
        return copy(c -> c.higherIsBetter = true);
    }

    @Override
    public Optional<String> monitor() {
        return Optional.ofNullable(monitor);
    }

    @Override
    public void validate() {
        super.validate();
        setting("factor", factor).above(0).below(1);
        setting("patience", patience).atLeast(0);
        setting("floor", floor).atLeast(0).atMost(1);
        setting("threshold", threshold).atLeast(0).below(1);
        setting("cooldown", cooldown).atLeast(0);
    }

    @Override
    protected double shape(Progress progress) {
        double best = higherIsBetter ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        double share = 1;
        int bad = 0;
        int resting = 0;
        for (double value : progress.observed()) {
            if (isBetter(value, best)) {
                best = value;
                bad = 0;
            } else {
                bad++;
            }
            if (resting > 0) {
                resting--;
                bad = 0;
            }
            if (bad > patience) {
                share = Math.max(floor, share * factor);
                resting = cooldown;
                bad = 0;
            }
        }
        return share;
    }

    private boolean isBetter(double value, double best) {
        if (Double.isInfinite(best)) {
            return higherIsBetter ? value > best : value < best;
        }
        double margin = threshold * Math.abs(best);
        return higherIsBetter ? value > best + margin : value < best - margin;
    }
}
