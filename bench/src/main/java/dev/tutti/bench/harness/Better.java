package dev.tutti.bench.harness;

/** Which way a measurement is good, so that a ratio over 1 always means that ours is better. */
public enum Better {
    HIGHER,
    LOWER;

    /** How many times better ours is than theirs. */
    public double ratio(double ours, double theirs) {
        return this == HIGHER ? ours / theirs : theirs / ours;
    }
}
