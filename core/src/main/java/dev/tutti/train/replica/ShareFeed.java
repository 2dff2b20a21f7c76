package dev.tutti.train.replica;

import dev.tutti.array.Range;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.train.profile.Timing;
import java.util.Optional;

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
        Dataset rest = wholeBatches(data, "several members");
        rest = from == null ? rest : rest.skip(from.rows());
        return rest.stripe(batch, share.from(), share.to())
                .batch(Math.toIntExact(share.length()))
                .open(epoch);
    }

    @Override
    public Optional<Batch> next() {
        rows += batch;
        return super.next();
    }

    @Override
    public Position position() {
        return start.behind(rows);
    }
}
