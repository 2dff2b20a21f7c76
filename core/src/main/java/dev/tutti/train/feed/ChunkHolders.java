package dev.tutti.train.feed;

import dev.tutti.comm.ChunkPreference;
import dev.tutti.comm.Group;
import dev.tutti.data.Chunk;
import dev.tutti.data.DataException;
import dev.tutti.data.SourcePart;
import dev.tutti.train.replica.Agreement;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Which members can read which chunks: all of them, unless rows are supplied by the place a member runs in.
 *
 * @param rank the rank of this member
 * @param here the chunks that each member can read, by rank
 */
public record ChunkHolders(int rank, List<BitSet> here) {
    public ChunkHolders {
        here = List.copyOf(here);
    }

    /** Every member can read every chunk. */
    public static ChunkHolders everywhere(Group group, int chunks) {
        BitSet all = new BitSet();
        all.set(0, chunks);
        return new ChunkHolders(
                group.rank(),
                IntStream.range(0, group.size()).mapToObj(i -> all).toList());
    }

    /** Tells the others which parts this member can read, and hears the same of them; all members call it. */
    static ChunkHolders agree(Agreement agreement, Group group, List<SourcePart> parts) {
        BitSet mine = new BitSet();
        parts.stream()
                .filter(SourcePart::isHere)
                .forEach(part -> mine.set(part.chunk().number()));
        return new ChunkHolders(
                group.rank(),
                agreement.numbers("parts of the data here", mine.toLongArray()).stream()
                        .map(BitSet::valueOf)
                        .toList());
    }

    /**
     * The parts that this member reads where all are divided among the members once; all members call it.
     *
     * @throws DataException if one can be read by no member
     */
    public static List<Chunk> divide(Agreement agreement, Group group, List<SourcePart> parts) {
        ChunkHolders holders = agree(agreement, group, parts);
        holders.requireReadable(new BitSet(), parts.size());
        return parts.stream()
                .map(SourcePart::chunk)
                .filter(chunk -> holders.isMine(chunk.number()))
                .toList();
    }

    /**
     * Checks that every chunk that is still to be read can be read by a member.
     *
     * @throws DataException if one cannot, since the place that supplied it is gone
     */
    void requireReadable(BitSet used, int chunks) {
        BitSet missing = new BitSet();
        missing.set(0, chunks);
        missing.andNot(used);
        here.forEach(missing::andNot);
        if (!missing.isEmpty()) {
            throw new DataException("the rows of part(s) " + missing + " of " + chunks
                    + " are supplied to no member: the place that had them is gone, or was never there");
        }
    }

    /** Whether this member is the one to read a chunk that cannot be leased, such as one that a lost member had. */
    boolean isMine(int chunk) {
        List<Integer> holders = IntStream.range(0, here.size())
                .filter(each -> here.get(each).get(chunk))
                .boxed()
                .toList();
        return !holders.isEmpty() && holders.get(chunk % holders.size()) == rank;
    }

    /**
     * What this member wants to lease.
     *
     * @param begun chunks that it has begun to read
     * @param near chunks that it can read more cheaply than others
     */
    ChunkPreference preference(List<Integer> begun, List<Integer> near, int chunks) {
        BitSet mine = here.get(rank);
        List<Integer> wanted = new ArrayList<>(begun);
        wanted.addAll(near);
        if (mine.cardinality() == chunks) {
            return ChunkPreference.first(wanted);
        }
        mine.stream().forEach(wanted::add);
        wanted.removeIf(chunk -> !mine.get(chunk));
        return ChunkPreference.only(wanted);
    }
}
