package dev.tutti.data.stage;

import dev.tutti.data.Batch;
import java.util.List;

/** A range of a view, from front to back. */
final class ViewFlow implements RowFlow {
    private final RowView view;
    private final long from;
    private final long to;
    private long done;

    ViewFlow(RowView view, long from, long to, StageCounters saved) {
        this.view = view;
        this.from = from;
        this.to = to;
        this.done = saved.next();
    }

    @Override
    public Row next() {
        return from + done < to ? view.get(from + done++) : null;
    }

    /** Whether {@link #next(int)} works. */
    boolean gathers() {
        return view.gathers();
    }

    /** The next rows as one batch, fewer at the end; null when there is none. */
    Batch next(int rows) {
        int count = (int) Math.min(rows, to - from - done);
        if (count <= 0) {
            return null;
        }
        long[] places = new long[count];
        for (int i = 0; i < count; i++) {
            places[i] = from + done + i;
        }
        Batch batch = view.gather(places);
        done += count;
        return batch;
    }

    /** Whether {@link #nextOnAllCores} works. */
    boolean isConcurrent() {
        return view.isConcurrent();
    }

    /** The next rows, fewer at the end, each made by whichever thread is free. */
    List<Row> nextOnAllCores(int rows) {
        int count = (int) Math.max(0, Math.min(rows, to - from - done));
        List<Row> made = RowWorkers.make(count, i -> view.get(from + done + i));
        done += count;
        return made;
    }

    @Override
    public void save(StageCounters into) {
        into.add(done);
    }

    @Override
    public void close() {}
}
