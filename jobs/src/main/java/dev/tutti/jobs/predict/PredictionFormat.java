package dev.tutti.jobs.predict;

import dev.tutti.TuttiException;
import java.nio.file.Path;
import java.util.Locale;

/** How predictions are written. */
public enum PredictionFormat {
    /** A header, then {@code row,class,probability} or {@code row,output}. */
    CSV,
    /** An object to a line. */
    JSONL;

    /** The format that the name of a file says. */
    public static PredictionFormat of(Path file) {
        String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
        if (name.endsWith(".csv")) {
            return CSV;
        }
        if (name.endsWith(".jsonl")) {
            return JSONL;
        }
        throw new TuttiException("predictions are written to a file that ends with .csv or .jsonl: received " + file);
    }
}
