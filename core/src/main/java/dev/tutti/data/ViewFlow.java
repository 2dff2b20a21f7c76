package dev.tutti.data;

/** A range of a view, from front to back. */
final class ViewFlow implements Flow {
    private final View view;
    private final long from;
    private final long to;
    private long done;

    ViewFlow(View view, long from, long to, Counters saved) {
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
    public void save(Counters into) {
        into.add(done);
    }

    @Override
    public void close() {}
}
