package dev.tutti.source.column;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tutti.source.table.ColumnValues;

/**
 * An encoder that makes one id of a row: as one-hot numbers, or as the id itself for an embedding. Ids of all encoders with an
 * embedding share one input, each encoder with a range of its own.
 */
abstract class IdColumn extends ColumnEncoder {
    /** How an id reaches the model. */
    enum As {
        /** Zeros, and a 1 at the place of the id. */
        @JsonProperty("oneHot")
        ONE_HOT,
        /** The id, for an embedding. */
        @JsonProperty("embedding")
        EMBEDDING
    }

    private As as = As.ONE_HOT;

    /** The ids for an embedding instead of one-hot numbers. */
    final <T extends IdColumn> T embedded() {
        T copy = copy();
        ((IdColumn) copy).as = As.EMBEDDING;
        return copy;
    }

    final boolean isEmbedding() {
        return as == As.EMBEDDING;
    }

    /** Computes the ids of some rows; the values come in the order of {@link #reads}. */
    interface Ids {
        void of(ColumnValues[] columns, int rows, int[] ids);
    }

    abstract Ids bindIds();

    @Override
    final Form form() {
        return as == As.EMBEDDING ? Form.ID : Form.DENSE;
    }

    @Override
    final int width() {
        return as == As.EMBEDDING ? 1 : ids();
    }

    @Override
    final Encoding bind() {
        Ids computed = bindIds();
        boolean oneHot = as == As.ONE_HOT;
        return (columns, rows, out) -> {
            int[] ids = new int[rows];
            computed.of(columns, rows, ids);
            for (int row = 0; row < rows; row++) {
                if (oneHot) {
                    out.numbers()[out.at(row) + ids[row]] = 1;
                } else {
                    out.ids()[out.at(row)] = out.base() + ids[row];
                }
            }
        };
    }
}
