package dev.tutti.strategy.averaging;

import dev.tutti.data.Position;
import dev.tutti.train.TrainingException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The place in an epoch whose chunks are used in no particular order: which of them were. It is the same on all members, and part
 * of every checkpoint.
 *
 * @param rowsPerChunk how the epoch was cut
 * @param numbers the chunks that were used
 */
public record UsedChunks(long rowsPerChunk, BitSet numbers) {
    /** Tells our counters from those of a dataset's stages, none of which counts below 0. */
    private static final long TAG = -1;

    public static UsedChunks at(Position position) {
        List<Long> counters = position.counters();
        if (counters.size() < 2 || counters.get(0) != TAG) {
            throw new TrainingException("the checkpoint lies in the middle of epoch " + (position.epoch() + 1)
                    + " of a run under another strategy, where averaging cannot go on: finish the epoch with that strategy,"
                    + " or go on from a checkpoint between two epochs");
        }
        BitSet used = new BitSet();
        for (int i = 2; i < counters.size(); i += 2) {
            used.set(Math.toIntExact(counters.get(i)), Math.toIntExact(counters.get(i + 1)));
        }
        return new UsedChunks(counters.get(1), used);
    }

    /** As ranges: most chunks are used nearly in order, so there are few. */
    public Position position(int epoch) {
        List<Long> counters = new ArrayList<>(List.of(TAG, rowsPerChunk));
        int from = numbers.nextSetBit(0);
        while (from >= 0) {
            int to = numbers.nextClearBit(from);
            counters.add((long) from);
            counters.add((long) to);
            from = numbers.nextSetBit(to);
        }
        return new Position(epoch, null, -1, counters);
    }
}
