package dev.tutti.train;

import dev.tutti.nn.Model;

/** How workers agree. The choice changes nothing in model, data, callbacks or checkpoints. */
@FunctionalInterface
public interface Strategy {
    /** One worker on its own. */
    static Strategy local() {
        return LocalReplica::new;
    }

    /**
     * Workers on threads of this JVM, one core each, that share every batch and the parameters: faster than one worker whose
     * operations use all cores, when batches and model are not small.
     */
    static Strategy threads(int workers) {
        if (workers < 1) {
            throw new TrainingException("expected at least 1 worker, received " + workers);
        }
        return workers == 1 ? local() : (model, recipe) -> new ThreadReplica(model, recipe, workers);
    }

    /** Makes one worker's part. */
    Replica replica(Model model, Recipe recipe);
}
