package dev.tutti.data;

import java.util.OptionalLong;

/**
 * Several epochs of what is below it, one after the other, as one: with a shuffle below, each of them in an order of
 * its own.
 */
final class RepeatStage extends Stage {
    private int times = 1;

    private RepeatStage() {}

    RepeatStage(int times) {
        this.times = times;
    }

    private Row copied(Row row, long repetition) {
        return new Row(row.number(), row.copy() * times + repetition, row.sample());
    }

    @Override
    OptionalLong size(OptionalLong before) {
        return before.isPresent() ? OptionalLong.of(before.getAsLong() * times) : before;
    }

    @Override
    View view(Upstream upstream, long epoch) {
        View[] below = new View[times];
        for (int i = 0; i < times; i++) {
            below[i] = upstream.view(epoch * times + i);
            if (below[i] == null) {
                return null;
            }
        }
        long each = below[0].size();
        return new View() {
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
    Flow flow(Upstream upstream, long epoch, Counters saved) {
        long repetition = saved.next();
        return new RepeatFlow(upstream, epoch, repetition, saved);
    }

    private final class RepeatFlow implements Flow {
        private final Upstream upstream;
        private final long epoch;
        private long repetition;
        private Flow below;

        RepeatFlow(Upstream upstream, long epoch, long repetition, Counters saved) {
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
                below = upstream.flow(epoch * times + repetition, Counters.start());
                row = below.next();
            }
            return row == null ? null : copied(row, repetition);
        }

        @Override
        public void save(Counters into) {
            into.add(repetition);
            below.save(into);
        }

        @Override
        public void close() {
            below.close();
        }
    }

    @Override
    void check() {
        if (times <= 0) {
            throw new DataException("repeat(" + times + "): expected 1 time or more");
        }
    }

    @Override
    public String toString() {
        return "repeat(" + times + ")";
    }
}
