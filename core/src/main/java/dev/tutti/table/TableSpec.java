package dev.tutti.table;

import dev.tutti.TuttiException;
import java.util.Objects;

/**
 * What a table is.
 *
 * @param name the layer that it belongs to
 * @param width numbers in a row
 * @param first what rows begin with
 * @param seed what first values are drawn by
 */
public record TableSpec(String name, int width, FirstValues first, long seed) {
    public TableSpec {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(first, "first");
        if (width < 1) {
            throw new TuttiException("table " + name + ": expected a width of at least 1, received " + width);
        }
    }
}
