package dev.tutti.estimator;

import dev.tutti.data.Dataset;

/** Makes the data when it is needed: {@code () -> Dataset.of(csv("people.csv")).shuffle(1).batch(64)}. */
@FunctionalInterface
public interface InputFunction {
    Dataset get();
}
