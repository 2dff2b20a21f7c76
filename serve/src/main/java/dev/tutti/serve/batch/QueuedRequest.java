package dev.tutti.serve.batch;

import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A request that waits to be computed. */
record QueuedRequest(
        List<NdArray> inputs, int rows, long arrived, long deadline, CompletableFuture<List<NdArray>> answer) {
    boolean isDue(long now) {
        return now - deadline >= 0;
    }

    /** Whether both can be rows of one batch: rows of all inputs have the same shapes. */
    boolean fits(QueuedRequest other) {
        for (int i = 0; i < inputs.size(); i++) {
            Shape mine = inputs.get(i).shape().from(1);
            if (!mine.equals(other.inputs.get(i).shape().from(1))) {
                return false;
            }
        }
        return true;
    }
}
