package dev.tutti.source.column;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.tutti.data.DataException;
import dev.tutti.json.Definition;
import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.ColumnValues;
import java.util.Map;
import java.util.Optional;

/**
 * How one or more columns of a table become numbers for the model: a definition, and once fitted also what was learned.
 *
 * <p>Order of calls: {@link #newFit}, rows of the training part into it, {@link ColumnFit#fitted}; of the fitted encoder {@link
 * #bind} once for a table, and {@link Encoding#encode} for every batch.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
@JsonSubTypes({
    @JsonSubTypes.Type(value = NumericColumn.class, name = "numeric"),
    @JsonSubTypes.Type(value = CategoryColumn.class, name = "category"),
    @JsonSubTypes.Type(value = HashedColumn.class, name = "hashed"),
    @JsonSubTypes.Type(value = BucketColumn.class, name = "buckets"),
    @JsonSubTypes.Type(value = CrossColumn.class, name = "cross"),
    @JsonSubTypes.Type(value = DateColumn.class, name = "date"),
    @JsonSubTypes.Type(value = TextColumn.class, name = "text"),
    @JsonSubTypes.Type(value = SubwordColumn.class, name = "subwords"),
    @JsonSubTypes.Type(value = IdListColumn.class, name = "ids")
})
public abstract class ColumnEncoder extends Definition {
    /** What an encoder makes of a row. */
    enum Form {
        /** Some numbers of the model's first input. */
        DENSE,
        /** One number of the input of ids, which an embedding looks up. */
        ID,
        /** An input of its own: ids in their order, 0 behind the last. */
        SEQUENCE
    }

    /** The columns it reads, and the types it needs them in. */
    abstract Map<String, ColumnType> reads();

    abstract Form form();

    /** How many numbers it makes of a row. */
    abstract int width();

    /** How many different ids there are, of an {@link Form#ID} or a {@link Form#SEQUENCE}. */
    int ids() {
        return 0;
    }

    /** Whether it has learned what it needs. */
    abstract boolean isFitted();

    /** Whether a fitted encoder can take in values of new data without losing what it has: then its fit begins with that. */
    boolean grows() {
        return false;
    }

    /** How far rows are from those it was fitted to, if it can tell; the values come in the order of {@link #reads}. */
    Optional<ColumnDrift.Measure> newDrift() {
        return Optional.empty();
    }

    /** Learns from rows; of an encoder that needs nothing, it gives the encoder itself. */
    abstract ColumnFit newFit();

    /** Makes the encoder ready for the values of one table; the values come in the order of {@link #reads}. */
    abstract Encoding bind();

    /** Checks the settings; throws a {@link DataException} that names the wrong one. */
    abstract void check();

    /** A fitted encoder at work on one table; belongs to one thread. */
    interface Encoding {
        /** Writes what it makes of each row at {@code out}, the row's place being {@code offset + row * stride}. */
        void encode(ColumnValues[] columns, int rows, Target out);
    }

    /**
     * Where encoded rows go: numbers or ids.
     *
     * @param base what is added to every id, so that encoders share one embedding
     */
    record Target(float[] numbers, long[] ids, int offset, int stride, long base) {
        int at(int row) {
            return offset + row * stride;
        }
    }

    static void require(boolean holds, String message) {
        if (!holds) {
            throw new DataException(message);
        }
    }

    final <T extends ColumnEncoder> T copy() {
        return copy(same -> {});
    }
}
