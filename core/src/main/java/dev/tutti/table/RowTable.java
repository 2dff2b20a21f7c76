package dev.tutti.table;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The rows of a table that were changed, or a part of them, with the optimizer's state of each row. Reading makes no rows. May be used by
 * several threads.
 */
public final class RowTable implements AutoCloseable {
    private final TableSpec spec;
    private final long key;
    private final RowColumn values;
    private final Map<String, RowColumn> states = new LinkedHashMap<>();
    private RowIndex index = new RowIndex(16);
    private final CountColumn changes = new CountColumn(); // how often the row was changed, and when last
    private final CountColumn last = new CountColumn();
    private int clock;
    private boolean closed;

    public RowTable(TableSpec spec) {
        this.spec = spec;
        key = FirstValues.key(spec.seed(), spec.name());
        values = new RowColumn(spec.width());
    }

    public TableSpec spec() {
        return spec;
    }

    /** How many rows were changed. */
    public synchronized int size() {
        return index.size();
    }

    /** How many changes were made; the age of a row is counted in these. */
    public synchronized int clock() {
        return clock;
    }

    /** Bytes of all rows with their state, and of what finds them. */
    public synchronized long bytes() {
        long columns = values.bytes()
                + states.values().stream().mapToLong(RowColumn::bytes).sum();
        return columns + 24L * index.size();
    }

    /** The rows of ids, one behind the other. */
    public synchronized float[] read(long[] ids) {
        requireOpen();
        int width = spec.width();
        float[] out = new float[Math.multiplyExact(ids.length, width)];
        for (int i = 0; i < ids.length; i++) {
            int place = index.find(ids[i]);
            if (place >= 0) {
                values.read(place, out, i * width);
            } else {
                spec.first().write(key, ids[i], out, i * width, width);
            }
        }
        return out;
    }

    /** The places of ids; rows that are not there are made. It counts as one change of each. */
    synchronized int[] change(long[] ids) {
        requireOpen();
        clock++;
        int[] places = new int[ids.length];
        for (int i = 0; i < ids.length; i++) {
            places[i] = place(ids[i]);
            changes.set(places[i], changes.get(places[i]) + 1);
            last.set(places[i], clock);
        }
        return places;
    }

    private int place(long id) {
        int before = index.size();
        int place = index.add(id);
        if (place == before) {
            float[] row = new float[spec.width()];
            spec.first().write(key, id, row, 0, row.length);
            values.reserve(place + 1);
            values.write(place, row, 0);
            states.values().forEach(column -> column.reserve(index.size()));
            changes.reserve(index.size());
            last.reserve(index.size());
        }
        return place;
    }

    /** The values, or the state of a name, which begins as zeros. */
    synchronized RowColumn column(String state) {
        if (state == null) {
            return values;
        }
        return states.computeIfAbsent(state, name -> {
            RowColumn column = new RowColumn(spec.width());
            column.reserve(index.size());
            return column;
        });
    }

    synchronized void copyOut(String state, int[] places, int from, int to, float[] into) {
        RowColumn column = column(state);
        for (int i = from; i < to; i++) {
            column.read(places[i], into, (i - from) * spec.width());
        }
    }

    synchronized void copyIn(String state, int[] places, int from, int to, float[] values) {
        RowColumn column = column(state);
        for (int i = from; i < to; i++) {
            column.write(places[i], values, (i - from) * spec.width());
        }
    }

    /**
     * Forgets rows: they hold their first values again.
     *
     * @param age those that were not changed by the last so many changes of the table; 0 for any age
     * @param fewerThan and those that were changed fewer times; 0 for any number
     * @return how many were forgotten
     */
    public synchronized int drop(int age, int fewerThan) {
        requireOpen();
        boolean[] goes = new boolean[index.size()];
        int count = 0;
        for (int place = 0; place < goes.length; place++) {
            goes[place] = age > 0 && clock - last.get(place) >= age || fewerThan > 0 && changes.get(place) < fewerThan;
            count += goes[place] ? 1 : 0;
        }
        if (count > 0) {
            keep(goes, goes.length - count);
        }
        return count;
    }

    /** Moves the rows that stay to the front; the memory behind them is used by rows that come later. */
    private void keep(boolean[] goes, int left) {
        RowIndex next = new RowIndex(left);
        float[] row = new float[spec.width()];
        for (int place = 0; place < goes.length; place++) {
            if (goes[place]) {
                continue;
            }
            int to = next.add(index.id(place));
            move(values, place, to, row);
            for (RowColumn column : states.values()) {
                move(column, place, to, row);
            }
            changes.set(to, changes.get(place));
            last.set(to, last.get(place));
        }
        float[] zeros = new float[spec.width()];
        for (int place = next.size(); place < goes.length; place++) {
            int cleared = place;
            states.values().forEach(column -> column.write(cleared, zeros, 0));
            changes.set(place, 0);
        }
        index = next;
    }

    private static void move(RowColumn column, int from, int to, float[] row) {
        if (from != to) {
            column.read(from, row, 0);
            column.write(to, row, 0);
        }
    }

    /** The ids that have rows here, by place. */
    public synchronized long[] ids() {
        return index.ids();
    }

    /** Names of state that rows have. */
    public synchronized Set<String> states() {
        return new LinkedHashSet<>(states.keySet());
    }

    /** How often each row was changed and when last, by place. */
    synchronized int[][] marks() {
        return new int[][] {changes.first(index.size()), last.first(index.size()), {clock}};
    }

    synchronized void marks(int[] places, int[] changed, int[] changedLast, int now) {
        for (int i = 0; i < places.length; i++) {
            changes.set(places[i], changed[i]);
            last.set(places[i], changedLast[i]);
        }
        clock = now;
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the table " + spec.name() + " was used after it was closed");
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        values.close();
        states.values().forEach(RowColumn::close);
    }
}
