package dev.tutti.source.column;

import dev.tutti.data.DataException;
import dev.tutti.data.source.Source;
import dev.tutti.source.table.BadRowLog;
import dev.tutti.source.table.ColumnStore;
import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.ColumnValues;
import dev.tutti.source.table.LoadedTable;
import dev.tutti.source.table.TableSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/** A table whose columns become arrays. Rows whose label cannot be used are bad rows, treated as the table's policy says. */
public final class EncodedSource implements Source {
    private static final int BLOCK = 1 << 15;

    private TableSource table;
    private Columns columns;

    private transient Opened opened;

    /** The table, and the rows of it that have a usable label; null where that is all of them. */
    private record Opened(LoadedTable table, long[] good, List<String> notices) {}

    private EncodedSource() {}

    EncodedSource(TableSource table, Columns columns) {
        this.table = table;
        this.columns = columns;
    }

    private Opened opened() {
        LoadedTable loaded = reading().load();
        synchronized (this) {
            if (opened == null || !opened.table.equals(loaded)) {
                opened = check(loaded);
            }
            return opened;
        }
    }

    private transient TableSource reading;

    /** The table with the columns that are read, in the types they are needed in. */
    private synchronized TableSource reading() {
        if (reading == null) {
            reading = reading(table, columns);
        }
        return reading;
    }

    static TableSource reading(TableSource table, Columns columns) {
        Map<String, ColumnType> reads = new LinkedHashMap<>(columns.reads());
        List<String> all = table.allColumns();
        for (String name : reads.keySet()) {
            if (!all.contains(name)) {
                throw new DataException(table + " has no column '" + name + "', which the features are made of; it has "
                        + String.join(", ", all));
            }
        }
        columns.label().filter(label -> all.contains(label.column())).ifPresent(label -> {
            reads.putAll(label.reads());
            columns.weight().ifPresent(weight -> {
                if (!all.contains(weight)) {
                    throw new DataException(table + " has no column '" + weight
                            + "', which is the weight of rows; it has " + String.join(", ", all));
                }
                reads.put(weight, ColumnType.NUMBER);
            });
        });
        return table.reading(reads);
    }

    private Opened check(LoadedTable loaded) {
        ColumnStore store = loaded.store();
        Optional<LabelColumn> label =
                columns.label().filter(known -> store.schema().has(known.column()));
        if (label.isEmpty()) {
            return new Opened(loaded, null, loaded.notices());
        }
        BadRowLog bad = table.newBadRowLog();
        LongStream.Builder good = LongStream.builder();
        int column = store.schema().indexOf(label.get().column());
        Optional<Integer> weightColumn = columns.weight().map(store.schema()::indexOf);
        for (long from = 0; from < store.rows(); from += BLOCK) {
            long to = Math.min(store.rows(), from + BLOCK);
            ColumnValues values = store.range(column, from, to);
            long first = from;
            Optional<ColumnValues> weights = weightColumn.map(place -> store.range(place, first, to));
            for (int row = 0; row < values.size(); row++) {
                String problem = label.get().problem(values, row);
                if (problem == null && weights.isPresent()) {
                    problem = weightProblem(weights.get(), row);
                }
                if (problem == null) {
                    good.add(from + row);
                } else {
                    bad.add(
                            table + ", row " + (from + row + 1),
                            problem,
                            values.text(row).orElse(""));
                }
            }
        }
        List<String> notices = new ArrayList<>(loaded.notices());
        notices.addAll(bad.finish());
        return new Opened(loaded, bad.count() == 0 ? null : good.build().toArray(), notices);
    }

    private String weightProblem(ColumnValues weights, int row) {
        double weight = weights.number(row);
        return weight >= 0 && Double.isFinite(weight)
                ? null
                : "column '" + columns.weight().orElseThrow()
                        + "' is the weight of the row: expected a number of 0 or more, received "
                        + weights.text(row).map(text -> "'" + text + "'").orElse("no value");
    }

    @Override
    public OptionalLong size() {
        Opened now = opened();
        return OptionalLong.of(now.good == null ? now.table.store().rows() : now.good.length);
    }

    @Override
    public String fingerprint() {
        return opened().table.store().fingerprint();
    }

    @Override
    public List<String> notices() {
        return opened().notices;
    }

    @Override
    public Rows open() {
        Opened now = opened();
        if (size().getAsLong() == 0) {
            throw new DataException("the dataset is empty: " + table + " has no rows");
        }
        return new EncodedRows(now.table.store(), columns, now.good);
    }

    @Override
    public String toString() {
        return String.valueOf(table);
    }
}
