package dev.tutti.spark.launch;

import dev.tutti.spark.feed.RowLayout;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * A table that members are fed from.
 *
 * @param name of the supplied source
 * @param rows the rows as Spark holds them
 * @param layout which columns become which numbers
 */
public record FedTable(String name, RDD<InternalRow> rows, RowLayout layout) {}
