package dev.tutti.spark.ml;

import dev.tutti.data.DataException;
import dev.tutti.spark.feed.FedColumn;
import dev.tutti.spark.feed.RowLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StructType;
import scala.collection.mutable.ArraySeq;

/** The columns of a table that training and predicting need, as numbers. */
final class TableColumns {
    private final List<String> names;

    TableColumns(List<String> names) {
        this.names = List.copyOf(names);
    }

    /** A table with these columns alone: numbers as floats, arrays of numbers as arrays of float or double. */
    Dataset<Row> select(Dataset<?> table) {
        List<Column> columns = new ArrayList<>();
        for (String name : names) {
            columns.add(readable(table, name).as(name));
        }
        return table.select(columns.toArray(Column[]::new));
    }

    static String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }

    static DataType type(StructType schema, String name) {
        if (!Arrays.asList(schema.fieldNames()).contains(name)) {
            throw new DataException(
                    "there is no column '" + name + "': expected one of " + String.join(", ", schema.fieldNames()));
        }
        return schema.apply(name).dataType();
    }

    /** Where a column of features is, and how it is read; the kind is null if {@link #readable} has to change its type before. */
    static PartitionPrediction.FeatureColumn feature(StructType schema, String name) {
        DataType type = type(schema, name);
        boolean asItIs = type.equals(DataTypes.FloatType)
                || type.equals(SQLDataTypes.VectorType())
                || type instanceof ArrayType array
                        && (array.elementType().equals(DataTypes.FloatType)
                                || array.elementType().equals(DataTypes.DoubleType));
        return new PartitionPrediction.FeatureColumn(
                name, asItIs ? FedColumn.kind(name, type) : null, schema.fieldIndex(name));
    }

    /** A column as numbers of a type that is copied by memory. */
    static Column readable(Dataset<?> table, String name) {
        return readable(table.col(quoted(name)), name, type(table.schema(), name));
    }

    private static Column readable(Column column, String name, DataType type) {
        if (type instanceof NumericType || type instanceof BooleanType) {
            return column.cast(DataTypes.FloatType);
        }
        if (type.equals(SQLDataTypes.VectorType())) {
            return column;
        }
        if (type instanceof ArrayType array) {
            boolean asItIs = array.elementType().equals(DataTypes.FloatType)
                    || array.elementType().equals(DataTypes.DoubleType);
            if (asItIs) {
                return column;
            }
            if (array.elementType() instanceof NumericType) {
                return column.cast(DataTypes.createArrayType(DataTypes.FloatType, array.containsNull()));
            }
        }
        throw new DataException("column '" + name + "' has the type " + type.simpleString()
                + ": expected numbers, arrays of numbers or a vector");
    }

    /** How rows become samples. @param weighted whether the last column is the weight of a row */
    record Kind(boolean classes, boolean weighted) {}

    /**
     * How rows of the selected table become samples; the lengths of arrays are those of its first row.
     *
     * @param features how many of the columns are features; the others are labels, and the weight if there is one
     */
    static RowLayout layout(Dataset<Row> selected, int features, Kind kind, int... shape) {
        List<Row> first = selected.takeAsList(1);
        if (first.isEmpty()) {
            throw new DataException("the table is empty: there is no row to train on");
        }
        int count = selected.columns().length;
        List<FedColumn> columns = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String name = selected.columns()[i];
            columns.add(RowLayout.column(name, selected.schema().apply(i).dataType(), length(first.get(0), i, name)));
        }
        long[] dims = Arrays.stream(shape).asLongStream().toArray();
        int labels = kind.weighted ? count - 1 : count;
        RowLayout layout =
                new RowLayout(columns.subList(0, features), columns.subList(features, labels), kind.classes, dims);
        return kind.weighted ? layout.weighted(columns.get(labels)) : layout;
    }

    private static int length(Row row, int at, String name) {
        if (row.isNullAt(at)) {
            throw new DataException("column '" + name + "' is null in the first row: fill or drop such rows before"
                    + " training, for instance with na().drop()");
        }
        Object value = row.get(at);
        if (value instanceof Vector vector) {
            return vector.size();
        }
        return value instanceof scala.collection.Seq<?> seq ? seq.length() : 1;
    }

    /** Copies the values of a column of a row; returns how many there were. */
    static int copy(Object value, String name, float[] into, int at) {
        if (value instanceof ArraySeq<?> seq && seq.array() instanceof float[] floats) {
            System.arraycopy(floats, 0, into, at, floats.length);
            return floats.length;
        }
        if (value instanceof scala.collection.Seq<?> seq) {
            for (int i = 0; i < seq.length(); i++) {
                into[at + i] = number(seq.apply(i), name);
            }
            return seq.length();
        }
        if (value instanceof Vector vector) {
            double[] values = vector.toArray();
            for (int i = 0; i < values.length; i++) {
                into[at + i] = (float) values[i];
            }
            return values.length;
        }
        into[at] = number(value, name);
        return 1;
    }

    /** How many numbers a value has. */
    static int width(Object value, String name) {
        if (value == null) {
            throw isNull(name);
        }
        if (value instanceof Vector vector) {
            return vector.size();
        }
        return value instanceof scala.collection.Seq<?> seq ? seq.length() : 1;
    }

    private static float number(Object value, String name) {
        if (value == null) {
            throw isNull(name);
        }
        return value instanceof Boolean flag ? (flag ? 1 : 0) : ((Number) value).floatValue();
    }

    private static DataException isNull(String name) {
        return new DataException(
                "column '" + name + "' is null in a row: fill or drop such rows before, for instance with na().drop()");
    }

    /** The largest value of a column of class numbers. */
    static int classes(Dataset<?> table, String label) {
        Row most = table.agg(functions.max(table.col(quoted(label)).cast(DataTypes.DoubleType)))
                .head();
        if (most.isNullAt(0)) {
            throw new DataException("column '" + label + "' has no values: expected the numbers of classes");
        }
        return (int) most.getDouble(0) + 1;
    }
}
