package dev.tutti.source.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Cuts text into words: runs of letters and digits, and every other sign by itself. */
public final class WordSplitter {
    private WordSplitter() {}

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
