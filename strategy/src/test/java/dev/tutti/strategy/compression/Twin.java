package dev.tutti.strategy.compression;

/** A compression written down literally, with plain arrays, for all members at once. It remembers what it has to. */
interface Twin {
    /** The sum that all members come to; the gradients are by member. */
    float[] sum(float[][] gradients);
}
