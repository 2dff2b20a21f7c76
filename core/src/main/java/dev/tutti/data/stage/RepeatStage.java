package dev.tutti.data.stage;

import dev.tutti.data.DataException;
import java.util.OptionalLong;

/**
 * Several epochs of what is below it, one after the other, as one: with a shuffle below, each of them in an order of
 * its own.
 */
public final class RepeatStage extends Stage {
    private int times = 1;

    private RepeatStage() {}

    public RepeatStage(int times) {
        this.times = times;
    }

    private Row copied(Row row, long repetition) {
        return new Row(row.number(), row.copy() * times + repetition, row.sample());
    }

    @Override
    public OptionalLong size(OptionalLong before) {
        return before.isPresent() ? OptionalLong.of(before.getAsLong() * times) : before;
    }

    @Override
    RowView view(Upstream upstream, long epoch) {
        RowView[] below = new RowView[times];
        for (int i = 0; i < times; i++) {
            below[i] = upstream.view(epoch * times + i);
            if (below[i] == null) {
                return null;
            }
        }
        long each = below[0].size();
        return new RowView() {
            @Override
            public long size() {
                return each * times;
            }

            @Override
            public Row get(long place) {
                int repetition = (int) (place / each);
                return copied(below[repetition].get(place % each), repetition);
            }
        };
    }

    @Override
    RowFlow flow(Upstream upstream, long epoch, StageCounters saved) {
        long repetition = saved.next();
        return new RepeatFlow(upstream, epoch, repetition, saved);
    }

    private final class RepeatFlow implements RowFlow {
        private final Upstream upstream;
        private final long epoch;
        private long repetition;
        private RowFlow below;

        RepeatFlow(Upstream upstream, long epoch, long repetition, StageCounters saved) {
            this.upstream = upstream;
            this.epoch = epoch;
            this.repetition = repetition;
            this.below = upstream.flow(epoch * times + repetition, saved);
        }

        @Override
        public Row next() {
            Row row = below.next();
            while (row == null && repetition < times - 1) {
                below.close();
                repetition++;
                below = upstream.flow(epoch * times + repetition, StageCounters.start());
                row = below.next();
            }
            return row == null ? null : copied(row, repetition);
        }

        @Override
        public void save(StageCounters into) {
            into.add(repetition);
            below.save(into);
        }

        @Override
        public void close() {
            below.close();
        }
    }

    @Override
    public void check() {
        if (times <= 0) {
            throw new DataException("repeat(" + times + "): expected 1 time or more");
        }
    }

    @Override
    public String toString() {
        return "repeat(" + times + ")";
    }
}
