package dev.tutti.train.replica;

import dev.tutti.array.Range;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.train.TrainingException;
import dev.tutti.train.profile.Timing;

/** Of every batch the rows of a member's share. It counts turns, so that all members agree where they are. */
final class ShareFeed extends Feed {
    private final Position start;
    private final long batch;
    private long rows;

    ShareFeed(Dataset data, Range share, int epoch, Position from, Timing timing) {
        super(reader(data, share, epoch, from), timing);
        start = data.behind(epoch, 0);
        batch = data.batchSize().orElse(1);
        rows = from == null ? 0 : from.rows();
        readAhead();
    }

    private static BatchReader reader(Dataset data, Range share, int epoch, Position from) {
        if (from != null) {
            data.requireSameSource(from);
        }
        if (share.isEmpty()) {
            return null;
        }
        int batch = data.batchSize().orElse(1);
        Dataset rest = wholeBatches(data, batch);
        rest = from == null ? rest : rest.skip(from.rows());
        return rest.stripe(batch, share.from(), share.to())
                .batch(Math.toIntExact(share.length()))
                .open(epoch);
    }

    /** A last batch that is left out is left out by all: a share of it cannot tell that it belongs to one that is not full. */
    private static Dataset wholeBatches(Dataset data, int batch) {
        if (!data.dropsLast()) {
            return data;
        }
        long size = data.size()
                .orElseThrow(() -> new TrainingException(
                        "dropLast() with several members needs data whose number of rows is known: received " + data
                                + "; leave out dropLast(), or cache() the data behind the filter"));
        return data.take(size / batch * batch);
    }

    @Override
    public Batch next() {
        rows += batch;
        return super.next();
    }

    @Override
    public Position position() {
        return start.behind(rows);
    }
}
