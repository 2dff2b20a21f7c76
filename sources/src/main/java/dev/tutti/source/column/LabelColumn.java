package dev.tutti.source.column;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.tutti.array.NdArray;
import dev.tutti.data.DataException;
import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.ColumnValues;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** The column that the model learns to answer. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
@JsonSubTypes({
    @JsonSubTypes.Type(value = ClassLabel.class, name = "classes"),
    @JsonSubTypes.Type(value = NumberLabel.class, name = "number")
})
public abstract class LabelColumn {
    private String column;

    LabelColumn() {}

    LabelColumn(String column) {
        this.column = column;
    }

    /** One of some classes, those of the training part. */
    public static LabelColumn classes(String column) {
        return new ClassLabel(column, null);
    }

    /** A number, standardised while the model learns. */
    public static LabelColumn number(String column) {
        return new NumberLabel(column);
    }

    public final String column() {
        return column;
    }

    abstract ColumnType type();

    abstract boolean isFitted();

    /** Learns from rows of the training part. */
    abstract LabelFit newFit();

    /** The labels of some rows; the rows were found good by {@link #problem} before. */
    abstract NdArray encode(ColumnValues values, int rows);

    /** What is wrong with a label, or null. */
    abstract String problem(ColumnValues values, int row);

    List<String> classes() {
        return List.of();
    }

    /** What an output of the model means in the units of the column. */
    double meaning(double output) {
        return output;
    }

    void check() {
        if (column == null) {
            throw new DataException("the label needs a 'column'");
        }
    }

    /** What rows have shown about the label; fits of parts merge exactly. */
    interface LabelFit {
        void add(ColumnValues values, int rows);

        void merge(LabelFit other);

        /** Writes what was seen so far, for a fit of the same label in another process. */
        void write(DataOutput out) throws IOException;

        /** Takes in what a fit of the same label has written. */
        void merge(DataInput written) throws IOException;

        LabelColumn fitted();
    }

    final Map<String, ColumnType> reads() {
        return Map.of(column, type());
    }
}
