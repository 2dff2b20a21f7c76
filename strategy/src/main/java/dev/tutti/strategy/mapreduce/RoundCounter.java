package dev.tutti.strategy.mapreduce;

import dev.tutti.data.Batch;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Feed;
import java.util.Optional;

/** An epoch of rounds: the engine reads the data, so there are no batches, and rounds are counted. */
final class RoundCounter extends Feed {
    private final Position start;
    private final int rounds;
    private final long rowsOfRound;
    private int done;

    /** @param from where a run goes on, or null for the beginning of the epoch */
    RoundCounter(Dataset data, int epoch, Position from, int rounds, Timing timing) {
        super(null, timing);
        if (from != null) {
            data.requireSameSource(from);
        }
        this.rounds = rounds;
        start = data.behind(epoch, 0);
        rowsOfRound = Math.max(1, data.size().orElse(rounds) / rounds);
        done = from == null ? 0 : Math.toIntExact(Math.min(rounds, from.rows() / rowsOfRound));
    }

    /** A round is over. */
    void count() {
        done++;
    }

    @Override
    public Optional<Batch> next() {
        return Optional.empty();
    }

    @Override
    public boolean hasNext() {
        return done < rounds;
    }

    @Override
    public Position position() {
        return start.behind(done * rowsOfRound);
    }
}
