package dev.tutti.data.stage;

import dev.tutti.data.Batch;
import dev.tutti.data.DataException;
import java.util.OptionalLong;

/** A stage that makes one row of one row, or drops it. */
abstract class RowStage extends Stage {
    /** The row made of this one, or null to drop it. */
    abstract Row apply(Row row, long epoch);

    /** True when rows may be dropped, so that they can no longer be reached by their place. */
    abstract boolean drops();

    /** Whether {@link #apply(Batch)} works. */
    boolean treatsBatches() {
        return false;
    }

    /** The batch made of this one; called only if {@link #treatsBatches}. */
    Batch apply(Batch batch) {
        throw new IllegalStateException(this + " treats single rows");
    }

    @Override
    public boolean rowWise() {
        return true;
    }

    @Override
    public OptionalLong size(OptionalLong before) {
        return drops() ? OptionalLong.empty() : before;
    }

    @Override
    RowView view(Upstream upstream, long epoch) {
        RowView below = drops() ? null : upstream.view(epoch);
        if (below == null) {
            return null;
        }
        int number = upstream.stageNumber();
        return new RowView() {
            @Override
            public long size() {
                return below.size();
            }

            @Override
            public Row get(long place) {
                return guarded(below.get(place), epoch, number);
            }

            @Override
            public boolean isConcurrent() {
                return below.isConcurrent();
            }

            @Override
            public boolean gathers() {
                return treatsBatches() && below.gathers();
            }

            @Override
            public Batch gather(long[] places) {
                Batch batch = below.gather(places);
                try {
                    return apply(batch);
                } catch (RuntimeException e) {
                    for (long place : places) {
                        get(place); // fails again where it failed, with the number of the row
                    }
                    throw e;
                }
            }
        };
    }

    @Override
    RowFlow flow(Upstream upstream, long epoch, StageCounters saved) {
        RowFlow below = upstream.flow(epoch, saved);
        int number = upstream.stageNumber();
        return new RowFlow() {
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
            public void save(StageCounters into) {
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
