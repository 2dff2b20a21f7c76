package dev.tutti.serve.model;

/** Hears of computed batches of all models, for metrics. */
@FunctionalInterface
public interface InferenceListener {
    InferenceListener NONE = (model, version, rows, requests, seconds) -> {};

    void batch(String model, long version, int rows, int requests, double seconds);
}
