package dev.tutti.data.source;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.data.Sample;
import dev.tutti.json.ShortForm;
import java.util.OptionalLong;

/**
 * Where rows come from: a definition, cheap to copy and to ship, that opens nothing until it is used.
 *
 * <p>{@link #open} gives {@link RandomRows} when any row can be reached by its number, which lets a dataset shuffle,
 * shard and cut into chunks by arithmetic alone; otherwise {@link SequentialRows}, read from front to back part by
 * part. A source of your own gets its name in files by {@link dev.tutti.json.Json#register}.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeResolver(ShortForm.class)
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public interface Source {
    /** The number of rows, where it is known without reading them. */
    OptionalLong size();

    /** Opens the rows for one reader. */
    Rows open();

    /**
     * Whether rows are supplied by the place a member runs in, so that each member may have other parts of them. The same on all
     * members.
     */
    default boolean suppliedByPlace() {
        return false;
    }

    /** An opened source; used by one thread at a time and closed by the reader that opened it. */
    sealed interface Rows extends AutoCloseable permits RandomRows, SequentialRows {
        @Override
        default void close() {}
    }

    /** Rows that can be had in any order. */
    non-sealed interface RandomRows extends Rows {
        long size();

        Sample row(long number);
    }

    /**
     * Rows that come one after the other, in one or more parts that can be read on their own: files, row groups,
     * partitions. Reading a part twice must give the same rows in the same order: resuming rests on it.
     */
    non-sealed interface SequentialRows extends Rows {
        int parts();

        /** The rows of a part without the first {@code skip} ones; a source that can seek need not read those. */
        Cursor read(int part, long skip);

        /** Whether a part can be read in this JVM. */
        default boolean isHere(int part) {
            return true;
        }

        /** Whether a part is cheaper to read here than by other members, so that this one should. */
        default boolean isNear(int part) {
            return false;
        }
    }

    /** Goes through rows from front to back. */
    interface Cursor extends AutoCloseable {
        /** The next row, or null at the end. */
        Sample next();

        @Override
        default void close() {}
    }
}
