package dev.tutti.source.column;

import dev.tutti.data.BatchReader;
import dev.tutti.data.Dataset;
import dev.tutti.source.combined.RowNumbers;
import dev.tutti.source.table.ColumnStore;
import dev.tutti.source.table.ColumnValues;
import dev.tutti.source.table.TableSource;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How far the rows of a dataset are from those that columns were fitted to. */
final class DriftReport {
    private DriftReport() {}

    static List<ColumnDrift> of(Columns columns, TableSource table, Dataset data) {
        ColumnStore store = EncodedSource.reading(table, columns).load().store();
        Map<ColumnEncoder, ColumnDrift.Measure> measures = new LinkedHashMap<>();
        columns.inputs().forEach(input -> input.newDrift().ifPresent(measure -> measures.put(input, measure)));
        try (BatchReader reader = RowNumbers.open(data, store.rows())) {
            for (long[] rows = RowNumbers.next(reader); rows.length > 0; rows = RowNumbers.next(reader)) {
                for (Map.Entry<ColumnEncoder, ColumnDrift.Measure> entry : measures.entrySet()) {
                    long[] numbers = rows;
                    ColumnValues[] values = entry.getKey().reads().keySet().stream()
                            .map(name -> store.gather(store.schema().indexOf(name), numbers))
                            .toArray(ColumnValues[]::new);
                    entry.getValue().add(values, rows.length);
                }
            }
        }
        return measures.values().stream()
                .map(ColumnDrift.Measure::drift)
                .sorted(Comparator.comparingDouble(ColumnDrift::amount).reversed())
                .toList();
    }
}
