package dev.tutti.strategy.ps;

import dev.tutti.array.Range;
import dev.tutti.tensor.vector.FusedUpdate;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the vector is cut into shards: equal numbers of bytes, cut at multiples of {@link FusedUpdate#BLOCK}, so that the update of a shard
 * is the same bits as that of the whole.
 */
final class ShardCuts {
    private ShardCuts() {}

    /** As many ranges as there are shards; none is empty unless the vector has fewer blocks than shards. */
    static List<Range> of(long size, int shards) {
        long blocks = (size + FusedUpdate.BLOCK - 1) / FusedUpdate.BLOCK;
        Range all = new Range(0, blocks);
        List<Range> cuts = new ArrayList<>();
        for (int i = 0; i < shards; i++) {
            Range part = all.part(i, shards);
            cuts.add(Range.between(
                    Math.min(size, part.from() * FusedUpdate.BLOCK), Math.min(size, part.to() * FusedUpdate.BLOCK)));
        }
        return cuts;
    }
}
