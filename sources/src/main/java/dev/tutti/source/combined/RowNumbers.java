package dev.tutti.source.combined;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.DataException;
import dev.tutti.data.Dataset;
import dev.tutti.data.source.Source;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/** The numbers of rows instead of the rows, so that the stages of a dataset tell which rows they keep. */
public record RowNumbers(long rows) implements Source {
    private static final int BLOCK = 1 << 14;

    /** Reads the numbers of the rows that a dataset keeps in its first epoch, block by block. */
    public static BatchReader open(Dataset dataset, long rows) {
        return dataset.from(new RowNumbers(rows)).batch(BLOCK).keepLast().open(0);
    }

    /**
     * The next numbers; none at the end.
     *
     * @throws DataException if a stage of the dataset changes samples, so that numbers do not pass through it
     */
    public static long[] next(BatchReader reader) {
        Batch batch = reader.next().orElse(null);
        if (batch == null) {
            return new long[0];
        }
        NdArray numbers = batch.feature();
        if (numbers.type() != DType.INT64 || numbers.shape().rank() != 1) {
            throw new DataException(
                    "which rows of the table are meant cannot be told behind stages that change samples:"
                            + " put those stages behind the columns, not into the training data");
        }
        return numbers.longs();
    }

    static long[] kept(Dataset dataset, long rows) {
        LongStream.Builder all = LongStream.builder();
        try (BatchReader reader = open(dataset, rows)) {
            for (long[] numbers = next(reader); numbers.length > 0; numbers = next(reader)) {
                LongStream.of(numbers).forEach(all);
            }
        }
        return all.build().toArray();
    }

    @Override
    public OptionalLong size() {
        return OptionalLong.of(rows);
    }

    @Override
    public Rows open() {
        return new BatchRows() {
            @Override
            public long size() {
                return rows;
            }

            @Override
            public Batch rows(long[] numbers) {
                return new Batch(List.of(NdArray.of(numbers.clone(), numbers.length)), List.of(), numbers.length);
            }
        };
    }
}
