package dev.tutti.spark.ml;

import dev.tutti.spark.launch.FedTable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** Tables of Spark as rows of numbers, for those who train without an estimator. */
public final class SparkTables {
    private SparkTables() {}

    /**
     * Some columns of a table.
     *
     * @param name under which members ask for the rows
     * @param classes whether the label is the number of a class
     * @param shape of a sample's features; none for a plain vector
     */
    public static FedTable of(
            String name, Dataset<?> table, List<String> features, List<String> labels, boolean classes, int... shape) {
        List<String> columns = new ArrayList<>(features);
        columns.addAll(labels);
        Dataset<Row> selected = new TableColumns(columns).select(table);
        return new FedTable(
                name,
                selected.queryExecution().toRdd(),
                TableColumns.layout(selected, features.size(), new TableColumns.Kind(classes, false), shape));
    }
}
