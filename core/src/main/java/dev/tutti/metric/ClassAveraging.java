package dev.tutti.metric;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;

/** How precision, recall and F1 of several classes become one number. */
public enum ClassAveraging {
    /** {@link #BINARY} when there are two classes, {@link #MACRO} when there are more. */
    @JsonProperty("auto")
    AUTO,
    /** Of two classes, the value of class 1 alone. */
    @JsonProperty("binary")
    BINARY,
    /**
     * The plain mean over the classes that occur in targets or predictions: a rare class weighs as much as a common
     * one.
     */
    @JsonProperty("macro")
    MACRO,
    /** One value from the counts of all classes together: every row weighs the same. */
    @JsonProperty("micro")
    MICRO;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
