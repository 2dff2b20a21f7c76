package dev.tutti.data.stage;

import dev.tutti.data.DataException;
import dev.tutti.data.RowRandom;
import dev.tutti.data.source.SourceFlow;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Another order for each epoch, which follows from seed and epoch alone. Rows that can be reached by their place are
 * all mixed with each other; a flow is mixed block by block, and the parts of its source change places (see {@link
 * SourceFlow}).
 */
public final class ShuffleStage extends Stage {
    public static final int DEFAULT_BUFFER = 8192;

    private long seed;
    private int buffer = DEFAULT_BUFFER;
    /** The order of epoch 0 in every epoch: what a split needs below it. */
    private boolean fixed;

    private ShuffleStage() {}

    public ShuffleStage(long seed, int buffer, boolean fixed) {
        this.seed = seed;
        this.buffer = buffer;
        this.fixed = fixed;
    }

    public ShuffleStage fixed() {
        return new ShuffleStage(seed, buffer, true);
    }

    public boolean isFixed() {
        return fixed;
    }

    /** The seed of one epoch's order. */
    long orderSeed(long epoch) {
        return RowRandom.seed(seed, fixed ? 0 : epoch);
    }

    @Override
    public boolean variesByEpoch() {
        return !fixed;
    }

    @Override
    boolean worksOnParts() {
        return true;
    }

    @Override
    public OptionalLong size(OptionalLong before) {
        return before;
    }

    @Override
    RowView view(Upstream upstream, long epoch) {
        RowView below = upstream.view(epoch);
        if (below == null) {
            return null;
        }
        Permutation order = new Permutation(below.size(), orderSeed(epoch));
        return new IndexView(below, below.size()) {
            @Override
            long placeBelow(long place) {
                return order.at(place);
            }
        };
    }

    @Override
    RowFlow flow(Upstream upstream, long epoch, StageCounters saved) {
        long block = saved.next();
        long delivered = saved.next();
        return new BlockFlow(upstream.flow(epoch, saved), orderSeed(epoch), buffer, block, delivered);
    }

    /**
     * Fills a block, then hands its rows out in another order. Its place is the block's beginning and the rows handed
     * out.
     */
    private static final class BlockFlow implements RowFlow {
        private final RowFlow below;
        private final long seed;
        private final int capacity;
        private long block;
        private long delivered;
        private StageCounters blockStart;
        private List<Row> rows;
        private Permutation order;

        BlockFlow(RowFlow below, long seed, int capacity, long block, long delivered) {
            this.below = below;
            this.seed = seed;
            this.capacity = capacity;
            this.block = block;
            this.delivered = delivered;
        }

        @Override
        public Row next() {
            if (rows == null) {
                fill();
            }
            if (delivered == capacity) {
                block++;
                delivered = 0;
                fill();
            }
            return delivered < rows.size() ? rows.get((int) order.at(delivered++)) : null;
        }

        private void fill() {
            blockStart = here();
            rows = new ArrayList<>();
            for (Row row = null; rows.size() < capacity && (row = below.next()) != null; ) {
                rows.add(row);
            }
            order = new Permutation(rows.size(), RowRandom.seed(seed, block));
        }

        private StageCounters here() {
            StageCounters here = StageCounters.empty();
            below.save(here);
            return here;
        }

        @Override
        public void save(StageCounters into) {
            into.add(block);
            into.add(delivered);
            into.addAll(blockStart == null ? here() : blockStart);
        }

        @Override
        public void close() {
            below.close();
        }
    }

    @Override
    public void check() {
        if (buffer <= 0) {
            throw new DataException("shuffle(" + seed + ", " + buffer + "): expected a buffer of 1 row or more");
        }
    }

    @Override
    public String toString() {
        return "shuffle(" + seed + (buffer == DEFAULT_BUFFER ? "" : ", " + buffer) + ")" + (fixed ? ".fixed" : "");
    }
}
