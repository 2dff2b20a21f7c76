package dev.tutti.data.source;

import dev.tutti.data.Sample;
import dev.tutti.data.source.Source.Cursor;
import dev.tutti.data.source.Source.SequentialRows;
import dev.tutti.data.stage.Permutation;
import dev.tutti.data.stage.Row;
import dev.tutti.data.stage.RowFlow;
import dev.tutti.data.stage.StageCounters;
import java.util.Optional;

/**
 * The rows of a source without random access, part by part; when the dataset is shuffled its parts come in another
 * order.
 */
public final class SourceFlow implements RowFlow {
    private final SequentialRows rows;
    private final Permutation order;
    private final long to;
    private long place;
    private long rowsOfPart;
    private Cursor cursor;

    /**
     * Reads the parts from place {@code from} to {@code to}, exclusive.
     *
     * @param order the order of the parts, or null for their own
     */
    public SourceFlow(SequentialRows rows, Permutation order, long from, long to, StageCounters saved) {
        this.rows = rows;
        this.order = order;
        this.to = to;
        this.place = saved.isStart() ? from : saved.next();
        this.rowsOfPart = saved.next();
    }

    @Override
    public Row next() {
        while (place < to) {
            int part = Math.toIntExact(order == null ? place : order.at(place));
            if (cursor == null) {
                cursor = rows.read(part, rowsOfPart);
            }
            Optional<Sample> sample = cursor.next();
            if (sample.isPresent()) {
                return new Row(Row.numberOf(part, rowsOfPart++), 0, sample.get());
            }
            close();
            place++;
            rowsOfPart = 0;
        }
        return null;
    }

    @Override
    public void save(StageCounters into) {
        into.add(place);
        into.add(rowsOfPart);
    }

    @Override
    public void close() {
        if (cursor != null) {
            cursor.close();
            cursor = null;
        }
    }
}
