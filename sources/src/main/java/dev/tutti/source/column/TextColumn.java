package dev.tutti.source.column;

import dev.tutti.source.text.WordSplitter;
import java.util.List;

/** The words of a text in small letters: runs of letters and digits, and each mark by itself. */
public final class TextColumn extends TokenColumn {
    private TextColumn() {}

    private TextColumn(String column, int size) {
        super(column, size);
    }

    /** A bag of the most frequent words; {@code size} counts the id of unknown ones. */
    public static TextColumn of(String column, int size) {
        return new TextColumn(column, size);
    }

    /** The ids of the first words in their order, instead of a bag. */
    public TextColumn sequence(int length) {
        return asSequence(length);
    }

    /** Words seen less often count as unknown. */
    public TextColumn atLeast(long times) {
        return seenAtLeast(times);
    }

    @Override
    List<String> split(String text) {
        return WordSplitter.words(text);
    }
}
