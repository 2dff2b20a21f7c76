package dev.tutti.train.feed;

import dev.tutti.array.NdArray;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.replica.Agreement;

/**
 * How the epoch under way is cut into chunks: decided at its beginning, for as many members as there are then, and kept to
 * when members come or go.
 *
 * <p>A member writes down what it proposes before it speaks to the others, and uses it after all have spoken. So when one of them
 * has used it, every one has it written down, also if the others fail to hear of it.
 */
public final class ChunkLayout implements AutoCloseable {
    private final Tensor decided; // epoch, rows of a chunk; 0 rows for none

    public ChunkLayout() {
        try (Scope scope = Scope.open()) {
            decided = Tensor.of(new long[] {0, 0}, 2).retain();
        }
    }

    /** The rows of a chunk of an epoch, the same on all members. */
    public long agree(Agreement agreement, int epoch, long proposal) {
        long[] known = decided.toArray().longs();
        long rows = known[0] == epoch && known[1] > 0 ? known[1] : proposal;
        write(epoch, rows);
        for (double[] other : agreement.rows("rows of a chunk", rows)) {
            rows = Math.max(rows, (long) other[0]);
        }
        write(epoch, rows);
        return rows;
    }

    private void write(int epoch, long rows) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            decided.write(NdArray.of(new long[] {epoch, rows}, 2));
        }
    }

    /** Part of a member's state: who joins later takes it over. */
    public Tensor state() {
        return decided;
    }

    @Override
    public void close() {
        decided.close();
    }
}
