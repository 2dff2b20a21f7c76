package dev.tutti.data.stage;

import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Chunk;
import dev.tutti.data.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads rows on the caller's thread and stacks them. */
public final class StackingReader implements BatchReader {
    private final Pipeline pipeline;
    private final RowFlow flow;
    private final int batchSize;
    private final boolean dropLast;
    private Position position;
    private RuntimeException failure;
    private boolean ended;
    private boolean closed;

    public StackingReader(
            Pipeline pipeline, RowFlow flow, int batchSize, boolean dropLast, int epoch, Chunk chunk, long rows) {
        this.pipeline = pipeline;
        this.flow = flow;
        this.batchSize = batchSize;
        this.dropLast = dropLast;
        this.position = place(epoch, chunk, rows);
    }

    @Override
    public Optional<Batch> next() {
        if (closed) {
            throw new IllegalStateException("the reader is closed: open the dataset again");
        }
        if (failure != null) {
            throw failure;
        }
        if (ended) {
            return Optional.empty();
        }
        try {
            return read();
        } catch (RuntimeException e) {
            failure = e;
            throw e;
        }
    }

    private Optional<Batch> read() {
        List<Row> rows = new ArrayList<>(Math.min(batchSize, 1024));
        while (rows.size() < batchSize && !ended) {
            Row row = flow.next();
            if (row == null) {
                ended = true;
            } else {
                rows.add(row);
            }
        }
        if (rows.isEmpty() || ended && dropLast) {
            return Optional.empty();
        }
        Batch batch = BatchStack.of(rows);
        position = place(position.epoch(), position.chunk(), position.rows() + rows.size());
        return Optional.of(batch);
    }

    private Position place(int epoch, Chunk chunk, long rows) {
        StageCounters counters = StageCounters.empty();
        flow.save(counters);
        return new Position(epoch, chunk, rows, counters.values());
    }

    @Override
    public Position position() {
        return position;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            try {
                flow.close();
            } finally {
                pipeline.close();
            }
        }
    }
}
