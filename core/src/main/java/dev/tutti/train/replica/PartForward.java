package dev.tutti.train.replica;

import dev.tutti.data.Batch;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.Optional;

/**
 * Runs batches through a model whose parts are on several members, without learning. The members that hold a whole model together are a
 * set; several sets may each take some of the batches.
 */
public interface PartForward {
    /** The number of this member's set, counted from 0; -1 for a member that belongs to none and runs nothing. */
    int set();

    /** How many sets there are. */
    int sets();

    /**
     * Runs a batch; all members of a set call it with the same batches in the same order, and may be several batches apart.
     *
     * @return the outputs of the model, which belong to the open scope, on the one member of the set that speaks for it; else nothing
     */
    Optional<List<Tensor>> run(Batch batch);
}
