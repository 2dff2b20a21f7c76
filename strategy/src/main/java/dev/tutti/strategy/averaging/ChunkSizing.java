package dev.tutti.strategy.averaging;

import dev.tutti.data.Dataset;
import java.util.OptionalLong;

/**
 * How large the pieces of an epoch are.
 *
 * @param batch rows of a member's own batch: its share of the dataset's
 * @param chunk rows of a chunk
 */
record ChunkSizing(int batch, long chunk) {
    /** Where rounds are long: batches of a chunk, so that leasing costs nothing and the last ones to work are soon done. */
    private static final int MOST_BATCHES = 16;

    /** In an epoch that is a single round every member gets about so many chunks, so that the faster can take more of them. */
    private static final int CHUNKS_OF_A_MEMBER = 8;

    /** For so many members, and rounds of so many steps. */
    ChunkSizing(Dataset data, int members, int steps) {
        this(share(data, members), (long) batchesOfAChunk(data, steps) * share(data, members));
    }

    private static int share(Dataset data, int members) {
        return (data.batchSize().orElse(1) + members - 1) / members;
    }

    private static int batchesOfAChunk(Dataset data, int steps) {
        if (steps < Integer.MAX_VALUE) {
            return steps;
        }
        OptionalLong batches = data.batches();
        return batches.isEmpty()
                ? MOST_BATCHES
                : (int) Math.max(1, Math.min(MOST_BATCHES, batches.getAsLong() / CHUNKS_OF_A_MEMBER));
    }
}
