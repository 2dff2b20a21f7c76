package dev.tutti.train.worker;

import dev.tutti.array.Range;
import java.util.function.Consumer;

/** What happens to gradients that are final while backward passes still compute others. */
public sealed interface BackwardOverlap {
    /** Nothing: gradients wait for the end of all passes. */
    BackwardOverlap NONE = new None();

    /**
     * A listener hears of each range as soon as its gradients are final, at last of the whole vector: for one worker, whose gradients
     * are those of all.
     *
     * @param ready called on the worker's thread
     */
    static BackwardOverlap tell(Consumer<Range> ready) {
        return new Tell(ready);
    }

    /**
     * Workers that are done before others begin with the update: for a batch that is all of its step, where nothing but the gradients
     * of these workers decides on it. {@link LocalWorkers#update} with the same numbers comes next, and nothing else. If a worker
     * fails, some parameters may have moved.
     */
    static BackwardOverlap update(double learningRate, double factor) {
        return new Update(learningRate, factor);
    }

    /** See {@link #NONE}. */
    record None() implements BackwardOverlap {}

    /** See {@link #tell}. */
    record Tell(Consumer<Range> ready) implements BackwardOverlap {}

    /** See {@link #update}. */
    record Update(double learningRate, double factor) implements BackwardOverlap {}
}
