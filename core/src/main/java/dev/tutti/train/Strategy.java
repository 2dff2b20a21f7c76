package dev.tutti.train;

import dev.tutti.nn.Model;

/** How workers agree. The choice changes nothing in model, data, callbacks or checkpoints. */
@FunctionalInterface
public interface Strategy {
    /** One worker on its own. */
    static Strategy local() {
        return LocalReplica::new;
    }

    /** Makes one worker's part. */
    Replica replica(Model model, Recipe recipe);
}
