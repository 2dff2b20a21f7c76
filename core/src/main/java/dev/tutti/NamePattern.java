package dev.tutti;

import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Names of parameters that a user means: {@code encoder*}, {@code *.bias}, where a star stands for any characters, or without a star a
 * whole name or its dotted beginning: {@code encoder} matches {@code encoder.dense1.weight}.
 *
 * @param text as the user wrote it
 */
public record NamePattern(String text) {
    public NamePattern {
        if (text == null || text.isBlank()) {
            throw new TuttiException("expected a pattern of names such as 'encoder*', received '" + text + "'");
        }
    }

    public boolean matches(String name) {
        if (text.indexOf('*') < 0) {
            return name.equals(text) || name.startsWith(text + ".");
        }
        String regex = Arrays.stream(text.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*"));
        return name.matches(regex);
    }

    @Override
    public String toString() {
        return text;
    }
}
