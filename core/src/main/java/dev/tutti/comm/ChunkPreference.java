package dev.tutti.comm;

import java.util.BitSet;
import java.util.List;
import java.util.OptionalInt;

/**
 * Which chunks a member would rather lease than others: those whose rows are near it, or the one that it was reading.
 *
 * @param chunks their numbers, the most wanted first
 * @param only whether it can read no others, since their rows are elsewhere
 */
public record ChunkPreference(List<Integer> chunks, boolean only) {
    /** Any chunk is as good as another. */
    public static final ChunkPreference NONE = new ChunkPreference(List.of(), false);

    public ChunkPreference {
        chunks = List.copyOf(chunks);
    }

    /** Chunks that are taken first, where they are free. */
    public static ChunkPreference first(List<Integer> chunks) {
        return new ChunkPreference(chunks, false);
    }

    /** Chunks that are the only ones this member can read. */
    public static ChunkPreference only(List<Integer> chunks) {
        return new ChunkPreference(chunks, true);
    }

    /**
     * The chunk to give out.
     *
     * @param taken chunks that were given out or used
     * @param count how many chunks there are
     * @return empty if none is free that this member can read
     */
    public OptionalInt choose(BitSet taken, int count) {
        for (int chunk : chunks) {
            if (chunk >= 0 && chunk < count && !taken.get(chunk)) {
                return OptionalInt.of(chunk);
            }
        }
        int free = taken.nextClearBit(0);
        return only || free >= count ? OptionalInt.empty() : OptionalInt.of(free);
    }
}
