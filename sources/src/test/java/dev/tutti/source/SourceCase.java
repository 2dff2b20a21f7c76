package dev.tutti.source;

import dev.tutti.array.NdArray;
import dev.tutti.data.source.Source;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * A source with rows numbered from 0 on, for the contract test.
 *
 * @param make writes what it reads into a folder, with so many rows
 * @param id the number of a row, by its first feature without the batch's axis
 */
record SourceCase(String name, Function<Path, Source> make, ToLongFunction<NdArray> id) {
    static final int ROWS = 1237;

    static SourceCase of(String name, Function<Path, Source> make) {
        return new SourceCase(name, make, first -> Math.round(first.at(0)));
    }

    @Override
    public String toString() {
        return name;
    }
}
