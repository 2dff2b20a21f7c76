package dev.tutti.source.column;

import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.ColumnValues;
import dev.tutti.source.table.Dictionary;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/**
 * One of some values, by a vocabulary of those the training part has. Unknown and missing values have id 0.
 *
 * <p>{@code size} is the number of ids including 0. Where it is given, the model has the same shape however many values there are,
 * and the vocabulary can grow; otherwise it is what the training part has.
 */
public final class CategoryColumn extends IdColumn {
    private String column;
    private Integer size;
    private long atLeast = 1;
    private Vocabulary vocabulary;

    private CategoryColumn() {}

    private CategoryColumn(String column) {
        this.column = column;
    }

    /** One-hot numbers for the values of the training part. */
    public static CategoryColumn of(String column) {
        return new CategoryColumn(column);
    }

    /** So many ids, of which 0 is for unknown values. */
    public CategoryColumn size(int ids) {
        CategoryColumn copy = copy();
        copy.size = ids;
        return copy;
    }

    /** Values seen less often count as unknown. */
    public CategoryColumn atLeast(long times) {
        CategoryColumn copy = copy();
        copy.atLeast = times;
        return copy;
    }

    /** Ids for an embedding instead of one-hot numbers. */
    public CategoryColumn embedding() {
        return embedded();
    }

    public Vocabulary vocabulary() {
        return vocabulary;
    }

    @Override
    Map<String, ColumnType> reads() {
        return Map.of(column, ColumnType.TEXT);
    }

    @Override
    int ids() {
        return size == null ? vocabulary.size() + 1 : size;
    }

    @Override
    boolean isFitted() {
        return vocabulary != null;
    }

    @Override
    void check() {
        require(column != null, "a category needs a 'column'");
        require(size == null || size >= 2, "column '" + column + "': 'size' must be 2 or more, received " + size);
        require(
                !isEmbedding() || size != null || vocabulary != null,
                "column '" + column
                        + "': an embedding needs a 'size', the number of ids including 0 for unknown values");
    }

    private int most() {
        return size == null ? Integer.MAX_VALUE : size - 1;
    }

    @Override
    Optional<ColumnDrift.Measure> newDrift() {
        return Optional.of(new CategoryDrift(column, vocabulary));
    }

    @Override
    boolean grows() {
        return true;
    }

    @Override
    ColumnFit newFit() {
        return new Fit();
    }

    private final class Fit implements ColumnFit {
        private final WordCounts words = new WordCounts(column);

        @Override
        public void add(ColumnValues[] columns, long[] rowNumbers) {
            words.add(columns[0], rowNumbers.length);
        }

        @Override
        public void merge(ColumnFit other) {
            words.merge(((Fit) other).words);
        }

        @Override
        public void write(DataOutput out) throws IOException {
            words.write(out);
        }

        @Override
        public void merge(DataInput written) throws IOException {
            words.merge(written);
        }

        @Override
        public ColumnEncoder fitted() {
            CategoryColumn copy = copy();
            copy.vocabulary = vocabulary == null
                    ? Vocabulary.of(words.counts(), atLeast, most())
                    : vocabulary.grown(words.counts(), atLeast, size == null ? vocabulary.size() : size - 1);
            return copy;
        }
    }

    @Override
    Ids bindIds() {
        return new VocabularyIds(vocabulary);
    }

    /** Ids of whole texts: one look-up for each different text of a table. */
    static final class VocabularyIds implements Ids {
        private final Map<String, Integer> ids;
        private Dictionary dictionary;
        private int[] byCode;

        VocabularyIds(Vocabulary vocabulary) {
            this.ids = vocabulary.ids();
        }

        @Override
        public void of(ColumnValues[] columns, int rows, int[] out) {
            ColumnValues values = columns[0];
            boolean coded = values.type() == ColumnType.TEXT;
            if (coded && dictionary != values.dictionary()) {
                dictionary = values.dictionary();
                byCode = new int[dictionary.size()];
                for (int code = 0; code < byCode.length; code++) {
                    byCode[code] = ids.getOrDefault(dictionary.text(code), 0);
                }
            }
            for (int row = 0; row < rows; row++) {
                int code = coded ? values.code(row) : ColumnValues.PLAIN;
                if (code >= 0) {
                    out[row] = byCode[code];
                } else {
                    out[row] = values.text(row)
                            .map(text -> ids.getOrDefault(text, 0))
                            .orElse(0);
                }
            }
        }
    }
}
