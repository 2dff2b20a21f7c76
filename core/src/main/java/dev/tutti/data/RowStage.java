package dev.tutti.data;

import java.util.OptionalLong;

/** A stage that makes one row of one row, or drops it. */
abstract class RowStage extends Stage {
    /** The row made of this one, or null to drop it. */
    abstract Row apply(Row row, long epoch);

    /** True when rows may be dropped, so that they can no longer be reached by their place. */
    abstract boolean drops();

    @Override
    boolean rowWise() {
        return true;
    }

    @Override
    OptionalLong size(OptionalLong before) {
        return drops() ? OptionalLong.empty() : before;
    }

    @Override
    View view(Upstream upstream, long epoch) {
        View below = drops() ? null : upstream.view(epoch);
        if (below == null) {
            return null;
        }
        int number = upstream.stageNumber();
        return new View() {
            @Override
            public long size() {
                return below.size();
            }

            @Override
            public Row get(long place) {
                return guarded(below.get(place), epoch, number);
            }
        };
    }

    @Override
    Flow flow(Upstream upstream, long epoch, Counters saved) {
        Flow below = upstream.flow(epoch, saved);
        int number = upstream.stageNumber();
        return new Flow() {
            @Override
            public Row next() {
                for (Row row = below.next(); row != null; row = below.next()) {
                    Row made = guarded(row, epoch, number);
                    if (made != null) {
                        return made;
                    }
                }
                return null;
            }

            @Override
            public void save(Counters into) {
                below.save(into);
            }

            @Override
            public void close() {
                below.close();
            }
        };
    }

    private Row guarded(Row row, long epoch, int number) {
        try {
            return apply(row, epoch);
        } catch (RuntimeException e) {
            String reason = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
            throw new DataException(
                    "stage " + number + " of the dataset, " + this + ", failed at " + row.place() + ": " + reason, e);
        }
    }
}
