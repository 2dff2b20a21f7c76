package dev.tutti.estimator;

/** What a model function is asked for. */
public enum Mode {
    TRAIN,
    EVALUATE,
    PREDICT
}
