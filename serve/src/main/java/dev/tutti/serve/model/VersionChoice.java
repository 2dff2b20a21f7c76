package dev.tutti.serve.model;

import dev.tutti.serve.ServeException;
import java.util.Optional;
import java.util.OptionalLong;

/** Which version a request asks for: a number, a label, or any that the model's traffic policy chooses. */
public record VersionChoice(OptionalLong version, Optional<String> label) {
    public static final VersionChoice ANY = new VersionChoice(OptionalLong.empty(), Optional.empty());

    /** A version by its number; empty or null for any. */
    public static VersionChoice version(String text) {
        if (text == null || text.isEmpty()) {
            return ANY;
        }
        if (!text.matches("[1-9][0-9]{0,17}")) {
            throw ServeException.invalid("a version is a whole number of 1 or more: received '"
                    + text.substring(0, Math.min(32, text.length())) + "'");
        }
        return new VersionChoice(OptionalLong.of(Long.parseLong(text)), Optional.empty());
    }

    public static VersionChoice label(String name) {
        return new VersionChoice(OptionalLong.empty(), Optional.of(name));
    }
}
