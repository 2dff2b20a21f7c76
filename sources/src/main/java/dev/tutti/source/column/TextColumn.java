package dev.tutti.source.column;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

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
        return words(text);
    }

    /** The words of a text in small letters. */
    public static List<String> words(String text) {
        String small = text.toLowerCase(Locale.ROOT);
        List<String> words = new ArrayList<>();
        int from = -1;
        for (int i = 0; i <= small.length(); i++) {
            boolean inside = i < small.length() && Character.isLetterOrDigit(small.charAt(i));
            if (inside && from < 0) {
                from = i;
            } else if (!inside) {
                if (from >= 0) {
                    words.add(small.substring(from, i));
                    from = -1;
                }
                if (i < small.length() && !Character.isWhitespace(small.charAt(i))) {
                    words.add(small.substring(i, i + 1));
                }
            }
        }
        return words;
    }
}
