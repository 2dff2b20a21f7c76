package dev.tutti.source.column;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.ColumnValues;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * A column of lists: words of a text, ids of things. As a bag it is one number for each word of the vocabulary, how often it
 * occurs; as a sequence it is an input of its own with the first words' ids in their order. Unknown words have id 0 in a bag and
 * 1 in a sequence, where 0 stands behind the last.
 */
abstract class TokenColumn extends ColumnEncoder {
    /** How the words reach the model. */
    enum As {
        /** How often each word occurs, as {@code log(1 + n)}. */
        @JsonProperty("bag")
        BAG,
        /** The ids of the words in their order. */
        @JsonProperty("sequence")
        SEQUENCE
    }

    private String column;
    private As as = As.BAG;
    private int size = 1000;
    private int length = 64;
    private long atLeast = 2;
    private Vocabulary vocabulary;

    TokenColumn() {}

    TokenColumn(String column, int size) {
        this.column = column;
        this.size = size;
    }

    /** The words of a text. */
    abstract List<String> split(String text);

    final <T extends TokenColumn> T asSequence(int most) {
        T copy = copy();
        ((TokenColumn) copy).as = As.SEQUENCE;
        ((TokenColumn) copy).length = most;
        return copy;
    }

    final <T extends TokenColumn> T seenAtLeast(long times) {
        T copy = copy();
        ((TokenColumn) copy).atLeast = times;
        return copy;
    }

    final String column() {
        return column;
    }

    @Override
    final Map<String, ColumnType> reads() {
        return Map.of(column, ColumnType.TEXT);
    }

    @Override
    final Form form() {
        return as == As.BAG ? Form.DENSE : Form.SEQUENCE;
    }

    @Override
    final int width() {
        return as == As.BAG ? size : length;
    }

    @Override
    final int ids() {
        return size;
    }

    @Override
    final boolean isFitted() {
        return vocabulary != null;
    }

    @Override
    void check() {
        require(column != null, "a column of words needs a 'column'");
        require(size >= 3, "column '" + column + "': 'size' must be 3 or more, received " + size);
        require(length >= 1, "column '" + column + "': 'length' must be 1 or more, received " + length);
    }

    /** A bag has id 0 for unknown words; a sequence 0 for padding and 1 for unknown words. */
    private int reserved() {
        return as == As.BAG ? 1 : 2;
    }

    @Override
    boolean grows() {
        return true;
    }

    @Override
    final ColumnFit newFit() {
        return new Fit();
    }

    private final class Fit implements ColumnFit {
        private final WordCounts words = new WordCounts(column);

        @Override
        public void add(ColumnValues[] columns, long[] rowNumbers) {
            for (int row = 0; row < rowNumbers.length; row++) {
                columns[0].text(row).ifPresent(text -> split(text).forEach(words::add));
            }
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
            TokenColumn copy = copy();
            int most = size - reserved();
            copy.vocabulary = vocabulary == null
                    ? Vocabulary.of(words.counts(), atLeast, most)
                    : vocabulary.grown(words.counts(), atLeast, most);
            return copy;
        }
    }

    @Override
    final Encoding bind() {
        Map<String, Integer> ids = vocabulary.ids();
        return as == As.BAG ? bag(ids) : sequence(ids);
    }

    private Encoding bag(Map<String, Integer> ids) {
        return (columns, rows, out) -> {
            for (int row = 0; row < rows; row++) {
                int at = out.at(row);
                for (String word : columns[0].text(row).map(this::split).orElse(List.of())) {
                    out.numbers()[at + ids.getOrDefault(word, 0)]++;
                }
                for (int i = at; i < at + size; i++) {
                    out.numbers()[i] = out.numbers()[i] == 0 ? 0 : (float) StrictMath.log1p(out.numbers()[i]);
                }
            }
        };
    }

    private Encoding sequence(Map<String, Integer> ids) {
        return (columns, rows, out) -> {
            for (int row = 0; row < rows; row++) {
                int at = out.at(row);
                List<String> words = columns[0].text(row).map(this::split).orElse(List.of());
                for (int i = 0; i < Math.min(length, words.size()); i++) {
                    out.ids()[at + i] = ids.getOrDefault(words.get(i), 0) + 1L;
                }
            }
        };
    }
}
