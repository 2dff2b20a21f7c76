package dev.tutti.train.replica;

import dev.tutti.data.Batch;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Optional;

/**
 * What one member brings to a step: its batches, what was measured on them, and its vote.
 *
 * <p>Order of calls: {@link #next} until it is empty; {@link #measured} once for each batch, in the order of the batches, as soon as
 * its result is known; then {@link #vote} once, when all results are known. A strategy may hold several batches at once.
 */
public interface StepInput {
    /** The next batch of this step; empty behind the last one, and at once when this member has no data left. */
    Optional<Batch> next();

    /** Takes what came of a batch, so that it counts when the members agree on the step. */
    void measured(Batch batch, StepResult result);

    /** What this member says to the others beside its gradients. */
    Vote vote();

    /** Batches that lie ready, with a vote; what is measured is not kept. */
    static StepInput of(Vote vote, Batch... batches) {
        Iterator<Batch> rest = Arrays.asList(batches).iterator();
        return new StepInput() {
            @Override
            public Optional<Batch> next() {
                return rest.hasNext() ? Optional.of(rest.next()) : Optional.empty();
            }

            @Override
            public void measured(Batch batch, StepResult result) {}

            @Override
            public Vote vote() {
                return vote;
            }
        };
    }
}
