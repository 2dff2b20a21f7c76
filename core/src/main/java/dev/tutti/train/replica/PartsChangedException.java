package dev.tutti.train.replica;

import dev.tutti.TuttiException;

/**
 * The members have met, and what some of them have to hold of the model is another part now. {@link Replica#regrouped} throws it on all
 * members that have a replica; each makes one anew ({@link Strategy#replicaAgain}), and all go back to the newest checkpoint of the run.
 */
public final class PartsChangedException extends TuttiException {
    private static final long serialVersionUID = 1;

    public PartsChangedException(String message) {
        super(message);
    }
}
