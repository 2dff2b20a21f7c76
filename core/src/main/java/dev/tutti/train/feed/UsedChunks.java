package dev.tutti.train.feed;

import dev.tutti.data.Position;
import dev.tutti.train.TrainingException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The place in an epoch whose chunks are used in no particular order: which of them were. It is the same on all members, and part
 * of every checkpoint.
 *
 * @param rowsPerChunk how the epoch was cut
 * @param numbers the chunks that were used
 * @param begun chunks of which a part was used, by number
 * @param rows rows that were used, or -1 where they are not counted
 */
public record UsedChunks(long rowsPerChunk, BitSet numbers, Map<Integer, ChunkPlace> begun, long rows) {
    /** Tells our counters from those of a dataset's stages, none of which counts below 0. */
    private static final long WHOLE = -1;

    private static final long WITH_PARTS = -2;

    public UsedChunks {
        begun = Map.copyOf(begun);
    }

    /** Whole chunks, whose rows are not counted. */
    public UsedChunks(long rowsPerChunk, BitSet numbers) {
        this(rowsPerChunk, numbers, Map.of(), -1);
    }

    /** Nothing of an epoch, whose rows are counted. */
    static UsedChunks none() {
        return new UsedChunks(1, new BitSet(), Map.of(), 0);
    }

    /** Whether a position in an epoch is one of used chunks. */
    public static boolean isIn(Position position) {
        return position != null
                && !position.counters().isEmpty()
                && position.counters().get(0) < 0;
    }

    /**
     * The place that a position holds.
     *
     * @throws TrainingException if it is one of a run that did not lease its chunks
     */
    public static UsedChunks at(Position position) {
        if (!isIn(position)) {
            throw new TrainingException("the checkpoint lies in the middle of epoch " + (position.epoch() + 1)
                    + " of a run under another strategy, whose place in the data cannot be divided into chunks: finish the epoch with"
                    + " that strategy, or go on from a checkpoint between two epochs");
        }
        List<Long> counters = position.counters();
        long tag = counters.get(0);
        int ranges = tag == WHOLE ? 2 : 3;
        int end = tag == WHOLE ? counters.size() : ranges + Math.toIntExact(counters.get(2));
        BitSet used = new BitSet();
        for (int i = ranges; i < end; i += 2) {
            used.set(Math.toIntExact(counters.get(i)), Math.toIntExact(counters.get(i + 1)));
        }
        Map<Integer, ChunkPlace> begun = new TreeMap<>();
        ChunkPlace.of(counters.subList(end, counters.size())).forEach(place -> begun.put(place.chunk(), place));
        return new UsedChunks(counters.get(1), used, begun, position.rows());
    }

    /** Used chunks as ranges: most are used nearly in order, so there are few. */
    public Position position(int epoch) {
        List<Long> ranges = new ArrayList<>();
        int from = numbers.nextSetBit(0);
        while (from >= 0) {
            int to = numbers.nextClearBit(from);
            ranges.add((long) from);
            ranges.add((long) to);
            from = numbers.nextSetBit(to);
        }
        List<Long> counters = new ArrayList<>();
        if (rows < 0) {
            counters.addAll(List.of(WHOLE, rowsPerChunk));
            counters.addAll(ranges);
        } else {
            counters.addAll(List.of(WITH_PARTS, rowsPerChunk, (long) ranges.size()));
            counters.addAll(ranges);
            counters.addAll(ChunkPlace.numbers(new TreeMap<>(begun).values()));
        }
        return new Position(epoch, null, rows, counters);
    }
}
