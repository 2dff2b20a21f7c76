package dev.tutti.source.column;

import dev.tutti.data.DataException;
import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.ColumnValues;
import dev.tutti.source.table.Dictionary;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Counts the values of a column; coded texts are counted by their code, so that each is looked up once. */
final class WordCounts {
    private static final int MOST = 5_000_000;

    private final String column;
    private final Map<String, Long> counts = new HashMap<>();
    private Dictionary dictionary;
    private long[] byCode = new long[0];
    private long missing;

    WordCounts(String column) {
        this.column = column;
    }

    /** Takes in the whole text of each row. */
    void add(ColumnValues values, int rows) {
        boolean coded = values.type() == ColumnType.TEXT;
        if (coded && dictionary != values.dictionary()) {
            settle();
            dictionary = values.dictionary();
            byCode = new long[dictionary.size()];
        }
        for (int row = 0; row < rows; row++) {
            if (values.isMissing(row)) {
                missing++;
            } else if (coded && values.code(row) >= 0) {
                byCode[values.code(row)]++;
            } else {
                add(values.text(row).orElseThrow());
            }
        }
    }

    void add(String word) {
        counts.merge(word, 1L, Long::sum);
        if (counts.size() > MOST) {
            throw new DataException("column '" + column + "' has more than " + MOST
                    + " different values, too many for a vocabulary: use {type: hashed, ...} for it");
        }
    }

    private void settle() {
        for (int code = 0; code < byCode.length; code++) {
            if (byCode[code] > 0) {
                counts.merge(dictionary.text(code), byCode[code], Long::sum);
            }
        }
        byCode = new long[0];
        dictionary = null;
    }

    void merge(WordCounts other) {
        settle();
        other.settle();
        other.counts.forEach((word, count) -> counts.merge(word, count, Long::sum));
        missing += other.missing;
    }

    void write(DataOutput out) throws IOException {
        settle();
        out.writeLong(missing);
        out.writeInt(counts.size());
        for (Map.Entry<String, Long> word : counts.entrySet()) {
            byte[] text = word.getKey().getBytes(StandardCharsets.UTF_8);
            out.writeInt(text.length);
            out.write(text);
            out.writeLong(word.getValue());
        }
    }

    void merge(DataInput written) throws IOException {
        settle();
        missing += written.readLong();
        for (int left = written.readInt(); left > 0; left--) {
            byte[] text = new byte[written.readInt()];
            written.readFully(text);
            counts.merge(new String(text, StandardCharsets.UTF_8), written.readLong(), Long::sum);
        }
    }

    Map<String, Long> counts() {
        settle();
        return counts;
    }

    long missing() {
        return missing;
    }
}
