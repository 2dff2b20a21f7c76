package dev.tutti.table;

import dev.tutti.optim.Optimizer;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The tables of a model in this process's memory, and the optimizer that moves their rows where they are trained here. */
public final class TableStore implements RowSource, AutoCloseable {
    private final Map<String, RowTable> tables = new LinkedHashMap<>();
    private final Map<String, TableUpdate> updates = new LinkedHashMap<>();

    public TableStore(List<TableSpec> specs) {
        specs.forEach(spec -> tables.put(spec.name(), new RowTable(spec)));
    }

    public boolean isEmpty() {
        return tables.isEmpty();
    }

    public List<TableSpec> specs() {
        return tables.values().stream().map(RowTable::spec).toList();
    }

    public List<RowTable> all() {
        return List.copyOf(tables.values());
    }

    /** @throws IllegalArgumentException if there is no such table */
    public RowTable table(String name) {
        RowTable table = tables.get(name);
        if (table == null) {
            throw new IllegalArgumentException("there is no table '" + name + "', expected one of " + tables.keySet());
        }
        return table;
    }

    @Override
    public float[] read(TableSpec table, long[] ids) {
        return table(table.name()).read(ids);
    }

    /** Lets rows be moved by an optimizer from now on, with the state that they have. */
    public void bind(Optimizer optimizer, List<String> parameters) {
        Map<String, Map<String, Double>> counted = new LinkedHashMap<>();
        updates.forEach((name, update) -> {
            counted.put(name, update.counters());
            update.close();
        });
        updates.clear();
        tables.forEach((name, table) -> {
            TableUpdate update = new TableUpdate(optimizer, table, parameters);
            update.counters(counted.getOrDefault(name, Map.of()));
            updates.put(name, update);
        });
    }

    /** Moves the rows that have gradients. */
    public void apply(RowGradients gradients, double rate) {
        for (String name : gradients.tables()) {
            updates.get(name).apply(gradients.of(name), rate);
        }
    }

    /** All of a table; its tensors belong to the open scope. */
    public TableState state(String name) {
        TableUpdate update = updates.get(name);
        return TableState.of(table(name), update == null ? Map.of() : update.counters());
    }

    /** Takes over rows of a table. */
    public void restore(String name, TableState state) {
        state.restore(table(name));
        TableUpdate update = updates.get(name);
        if (update != null) {
            update.counters(state.counters());
        }
    }

    /** Forgets all rows. */
    public void clear() {
        for (String name : List.copyOf(tables.keySet())) {
            table(name).drop(Integer.MIN_VALUE, Integer.MAX_VALUE);
        }
    }

    /** All tables by names for a file; they belong to the open scope. */
    public Map<String, Tensor> named(boolean forTraining) {
        Map<String, Tensor> all = new LinkedHashMap<>();
        tables.forEach(
                (name, table) -> all.putAll((forTraining ? state(name) : TableState.valuesOf(table)).named(name)));
        return all;
    }

    /** Where a file's tensors come from. */
    @FunctionalInterface
    public interface TensorReader {
        /** All of a tensor; it belongs to the open scope. */
        Tensor read(String name);
    }

    /** Takes over all tables that a file has, in place of what was there. */
    public void restore(Iterable<String> names, TensorReader reader) {
        clear();
        for (String table : new ArrayList<>(tables.keySet())) {
            Map<String, Tensor> named = new LinkedHashMap<>();
            TableState.namesOf(table, names).forEach(name -> named.put(name, reader.read(name)));
            if (!named.isEmpty()) {
                restore(table, TableState.read(table, named));
            }
        }
    }

    @Override
    public void close() {
        updates.values().forEach(TableUpdate::close);
        tables.values().forEach(RowTable::close);
    }
}
