package dev.tutti.serve.http;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.tutti.DidYouMean;
import dev.tutti.TuttiException;
import java.util.Arrays;
import java.util.Locale;

/** What a caller may do. */
public enum Role {
    /** Anything that needs no key: whether the service lives. */
    NONE,
    /** Ask models, and read about them. */
    PREDICT,
    /** Submit jobs, and change those of its own. */
    SUBMIT,
    /** Everything. */
    ADMIN;

    @JsonCreator
    static Role named(String name) {
        return Arrays.stream(values())
                .filter(role -> role != NONE && role.toString().equals(name))
                .findFirst()
                .orElseThrow(() -> new TuttiException("unknown role '" + name + "'"
                        + DidYouMean.hint(name, java.util.List.of("predict", "submit", "admin"))));
    }

    @JsonValue
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
