package dev.tutti.table;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * All of a table as tensors, for files and for copies on other members: ids, marks (changes, last change, as int64), values, and state by
 * name. They belong to the open scope.
 *
 * @param clock changes of the table
 * @param counters what the optimizer counts
 */
public record TableState(long clock, Map<String, Double> counters, Map<String, Tensor> tensors) {
    public static final String IDS = "ids";
    public static final String MARKS = "marks";
    public static final String VALUES = "values";
    private static final String STATE = "state.";
    private static final int PIECE = 1 << 14;

    /** Copies a table. */
    public static TableState of(RowTable table, Map<String, Double> counters) {
        return of(table, counters, true);
    }

    /** Copies the values of a table, without what only training needs. */
    public static TableState valuesOf(RowTable table) {
        return of(table, Map.of(), false);
    }

    private static TableState of(RowTable table, Map<String, Double> counters, boolean all) {
        synchronized (table) {
            long[] ids = table.ids();
            Map<String, Tensor> tensors = new LinkedHashMap<>();
            tensors.put(IDS, Tensor.of(ids, ids.length));
            tensors.put(VALUES, column(table, null, ids.length));
            if (all) {
                int[][] marks = table.marks();
                long[] both = new long[2 * ids.length];
                for (int i = 0; i < ids.length; i++) {
                    both[2 * i] = marks[0][i];
                    both[2 * i + 1] = marks[1][i];
                }
                tensors.put(MARKS, Tensor.of(both, ids.length, 2));
                table.states().forEach(name -> tensors.put(STATE + name, column(table, name, ids.length)));
            }
            return new TableState(table.clock(), counters, tensors);
        }
    }

    private static Tensor column(RowTable table, String state, int rows) {
        int width = table.spec().width();
        Tensor all = Tensor.empty(Shape.of(rows, width), DType.FLOAT32);
        int[] places = new int[PIECE];
        for (int from = 0; from < rows; from += PIECE) {
            int count = Math.min(PIECE, rows - from);
            for (int i = 0; i < count; i++) {
                places[i] = from + i;
            }
            float[] values = new float[count * width];
            table.copyOut(state, places, 0, count, values);
            all.narrow(0, from, count).write(NdArray.of(values, count, width));
        }
        return all;
    }

    /** Writes the rows into a table, over those of the same ids; others stay. */
    public void restore(RowTable table) {
        synchronized (table) {
            long[] ids = tensors.get(IDS).toArray().longs();
            int before = table.clock();
            int[] places = table.change(ids);
            long[] marks =
                    tensors.containsKey(MARKS) ? tensors.get(MARKS).toArray().longs() : new long[2 * ids.length];
            int[] changes = new int[ids.length];
            int[] last = new int[ids.length];
            for (int i = 0; i < ids.length; i++) {
                changes[i] = (int) Math.max(1, marks[2 * i]);
                last[i] = (int) marks[2 * i + 1];
            }
            table.marks(places, changes, last, Math.max(before, (int) clock));
            tensors.forEach((name, tensor) -> {
                if (name.equals(VALUES)) {
                    write(table, null, tensor, places);
                } else if (name.startsWith(STATE)) {
                    write(table, name.substring(STATE.length()), tensor, places);
                }
            });
        }
    }

    private static void write(RowTable table, String state, Tensor rows, int[] places) {
        for (int from = 0; from < places.length; from += PIECE) {
            int count = Math.min(PIECE, places.length - from);
            int[] some = Arrays.copyOfRange(places, from, from + count);
            table.copyIn(
                    state, some, 0, count, rows.narrow(0, from, count).toArray().floats());
        }
    }

    /** Names in a file: {@code tables.<table>/<part>}, and {@code tables.<table>/counter.<name>} for numbers. */
    public Map<String, Tensor> named(String table) {
        Map<String, Tensor> all = new LinkedHashMap<>();
        tensors.forEach((name, tensor) -> all.put(prefix(table) + name, tensor));
        all.put(prefix(table) + "clock", Tensor.of(new long[] {clock}, 1));
        counters.forEach(
                (name, value) -> all.put(prefix(table) + "counter." + name, Tensor.of(new double[] {value}, 1)));
        return all;
    }

    private static String prefix(String table) {
        return PREFIX + table + "/";
    }

    /** What the names of tables in files begin with. */
    public static final String PREFIX = "tables.";

    /** The names of a table among those of a file. */
    public static List<String> namesOf(String table, Iterable<String> names) {
        List<String> own = new ArrayList<>();
        for (String name : names) {
            if (name.startsWith(prefix(table))) {
                own.add(name);
            }
        }
        return own;
    }

    /** The table that {@link #named} gave. */
    public static TableState read(String table, Map<String, Tensor> named) {
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        Map<String, Double> counters = new TreeMap<>();
        long clock = 0;
        for (Map.Entry<String, Tensor> each : named.entrySet()) {
            String own = each.getKey().substring(prefix(table).length());
            if (own.equals("clock")) {
                clock = each.getValue().toArray().longs()[0];
            } else if (own.startsWith("counter.")) {
                counters.put(own.substring("counter.".length()), each.getValue().item());
            } else {
                tensors.put(own, each.getValue());
            }
        }
        return new TableState(clock, counters, tensors);
    }
}
