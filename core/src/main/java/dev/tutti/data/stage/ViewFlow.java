package dev.tutti.data.stage;

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

    @Override
    public void save(StageCounters into) {
        into.add(done);
    }

    @Override
    public void close() {}
}
