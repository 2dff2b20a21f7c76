package dev.tutti.train.replica;

import dev.tutti.data.BatchReader;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.train.profile.Timing;

/** All of the data, for one member. */
final class WholeFeed extends Feed {
    private final BatchReader reader;
    private final Position start;
    private Position position;

    WholeFeed(Dataset data, int epoch, Position from, Timing timing) {
        this(from == null ? data.open(epoch) : data.open(epoch, from), from, timing);
    }

    private WholeFeed(BatchReader reader, Position start, Timing timing) {
        super(reader, timing);
        this.reader = reader;
        this.start = start;
        readAhead();
    }

    @Override
    protected void readAhead() {
        position = reader.position();
        super.readAhead();
    }

    @Override
    public Position position() {
        // Where members had shared the data only rows are known, and the reader counts from there.
        return start != null && start.isCountOfRows() ? position.behind(start.rows() + position.rows()) : position;
    }
}
