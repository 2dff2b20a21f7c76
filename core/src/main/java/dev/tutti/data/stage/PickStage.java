package dev.tutti.data.stage;

import java.util.OptionalLong;

/**
 * A stage that keeps some rows by their place. Where places can be reached it is index arithmetic; behind a filter it
 * counts the rows that passed.
 */
abstract class PickStage extends Stage {
    /** How many of {@code total} rows are kept. */
    abstract long kept(long total);

    /** The place before this stage of the row at {@code place} behind it. */
    abstract long placeOf(long place, long total);

    /** Whether the row at a place is kept when the total is not known. */
    abstract boolean keeps(long place);

    /** True when no row from this place on is kept, so that none need be read. */
    boolean endsBefore(long place) {
        return false;
    }

    @Override
    public OptionalLong size(OptionalLong before) {
        return before.isPresent() ? OptionalLong.of(kept(before.getAsLong())) : before;
    }

    @Override
    RowView view(Upstream upstream, long epoch) {
        RowView below = upstream.view(epoch);
        if (below == null) {
            return null;
        }
        long total = below.size();
        return new IndexView(below, kept(total)) {
            @Override
            long placeBelow(long place) {
                return placeOf(place, total);
            }
        };
    }

    @Override
    RowFlow flow(Upstream upstream, long epoch, StageCounters saved) {
        long counted = saved.next();
        return new PickFlow(this, counted, upstream.flow(epoch, saved));
    }

    private static final class PickFlow implements RowFlow {
        private final PickStage stage;
        private final RowFlow below;
        private long place;

        PickFlow(PickStage stage, long place, RowFlow below) {
            this.stage = stage;
            this.place = place;
            this.below = below;
        }

        @Override
        public Row next() {
            while (!stage.endsBefore(place)) {
                Row row = below.next();
                if (row == null || stage.keeps(place++)) {
                    return row;
                }
            }
            return null;
        }

        @Override
        public void save(StageCounters into) {
            into.add(place);
            below.save(into);
        }

        @Override
        public void close() {
            below.close();
        }
    }
}
