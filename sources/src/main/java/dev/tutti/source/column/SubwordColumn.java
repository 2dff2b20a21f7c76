package dev.tutti.source.column;

import dev.tutti.source.table.ColumnType;
import dev.tutti.source.text.PretrainedTokenizer;
import java.util.Map;

/**
 * A text as the ids that a trained model of language knows, by its {@code tokenizer.json}: with the marks the model expects at the
 * beginning and the end, at most so many, and the padding's id behind the last.
 */
public final class SubwordColumn extends ColumnEncoder {
    private String column;
    private String tokenizer;
    private int length = 128;
    private int paddingId;

    private SubwordColumn() {}

    /** @param tokenizer the path of a {@code tokenizer.json} */
    public static SubwordColumn of(String column, String tokenizer) {
        SubwordColumn made = new SubwordColumn();
        made.column = column;
        made.tokenizer = tokenizer;
        return made;
    }

    /** The most ids of a text; 128 unless given. */
    public SubwordColumn length(int most) {
        SubwordColumn copy = copy();
        copy.length = most;
        return copy;
    }

    @Override
    Map<String, ColumnType> reads() {
        return Map.of(column, ColumnType.TEXT);
    }

    @Override
    Form form() {
        return Form.SEQUENCE;
    }

    @Override
    int width() {
        return length;
    }

    @Override
    int ids() {
        return PretrainedTokenizer.at(tokenizer).size();
    }

    @Override
    boolean isFitted() {
        return true;
    }

    @Override
    void check() {
        require(
                column != null && tokenizer != null,
                "a column of subwords needs a 'column' and a 'tokenizer', the path of a tokenizer.json");
        require(length >= 3, "column '" + column + "': 'length' must be 3 or more, received " + length);
    }

    @Override
    ColumnFit newFit() {
        return ColumnFit.nothing(this);
    }

    @Override
    Encoding bind() {
        PretrainedTokenizer words = PretrainedTokenizer.at(tokenizer);
        return (columns, rows, out) -> {
            for (int row = 0; row < rows; row++) {
                long[] ids = words.ids(columns[0].text(row).orElse(""), length);
                int at = out.at(row);
                for (int i = 0; i < length; i++) {
                    out.ids()[at + i] = i < ids.length ? ids[i] : paddingId;
                }
            }
        };
    }
}
