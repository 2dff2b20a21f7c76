package dev.tutti.estimator;

import dev.tutti.source.column.Columns;
import java.util.List;
import java.util.Optional;

/**
 * What a model function is told.
 *
 * @param columns the feature columns, fitted; empty where the input gives arrays
 */
public record ModelContext(Optional<Columns> columns, RunConfig config) {
    /** The names of the label's classes; empty where it is a number. */
    public List<String> classes() {
        return columns.map(Columns::classes).orElse(List.of());
    }
}
