package dev.tutti.data.source;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.data.Batch;
import dev.tutti.data.Position;
import dev.tutti.data.Sample;
import dev.tutti.data.transform.BatchTransform;
import dev.tutti.json.ShortForm;
import java.util.List;
import java.util.Optional;
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
     * What tells this content from another under the same name, such as sizes and times of files; empty where that is not
     * known. A saved {@link Position} holds it, and opening a source with another fingerprint at that position is refused.
     */
    default String fingerprint() {
        return "";
    }

    /** What there is to say about the content once it was opened, one line each: rows that were left out, for instance. */
    default List<String> notices() {
        return List.of();
    }

    /**
     * Whether rows are supplied by the place a member runs in, so that each member may have other parts of them. The same on all
     * members.
     */
    default boolean suppliedByPlace() {
        return false;
    }

    /**
     * A row to know types and shapes by, for sources where reading one costs much; its values count for nothing. Empty where the first
     * row is read instead.
     */
    default Optional<Sample> example() {
        return Optional.empty();
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

        /** Whether several threads may ask for rows at the same time; then rows that need work are made on all cores. */
        default boolean isConcurrent() {
            return false;
        }
    }

    /**
     * Rows that can be had in any order, a batch at a time: arrays are filled column by column, without an object for each row.
     * Index stages and {@link BatchTransform}s above it keep that path; any other stage falls back to single rows.
     */
    interface BatchRows extends RandomRows {
        /** The rows of these numbers as one batch, in this order; the numbers may repeat. */
        Batch rows(long[] numbers);

        @Override
        default Sample row(long number) {
            Batch one = rows(new long[] {number});
            return new Sample(
                    one.features().stream().map(array -> array.row(0)).toList(),
                    one.labels().stream().map(array -> array.row(0)).toList());
        }
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
        /** The next row; empty at the end. */
        Optional<Sample> next();

        @Override
        default void close() {}
    }
}
