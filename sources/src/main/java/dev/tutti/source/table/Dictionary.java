package dev.tutti.source.table;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The different texts of a column by a number each, in the order they were first seen. It takes no more once it is full: a
 * column of free text would otherwise be kept whole. One thread adds; any number may read what was added before.
 */
public final class Dictionary {
    private static final int MOST_TEXTS = 1 << 17;
    private static final long MOST_CHARACTERS = 1L << 24;

    private final Map<String, Integer> codes = new HashMap<>();
    private final List<String> texts = new ArrayList<>();
    private long characters;

    /** The code of a text, added if it is new; -1 if it is new and the dictionary is full. */
    int code(String text) {
        Integer known = codes.get(text);
        if (known != null) {
            return known;
        }
        if (texts.size() >= MOST_TEXTS || characters + text.length() > MOST_CHARACTERS) {
            return -1;
        }
        characters += text.length();
        codes.put(text, texts.size());
        texts.add(text);
        return texts.size() - 1;
    }

    public int size() {
        return texts.size();
    }

    public String text(int code) {
        return texts.get(code);
    }
}
