package dev.tutti.train.feed;

import dev.tutti.comm.GroupChangedException;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Chunk;
import dev.tutti.data.DataException;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Agreement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leased chunks of which members agree on every batch: another member can go on in the middle of the chunk of a lost one.
 *
 * <p>Order of calls at each step: {@link #next}; {@link #gather} by all members, before anything counts; {@link #count} when the step
 * counts.
 */
public final class StepFeed extends LeasedFeed {
    private static final Logger LOG = LoggerFactory.getLogger(StepFeed.class);

    private final Map<Integer, ChunkPlace> places; // agreed on, of chunks that were begun
    private final Map<Integer, ChunkPlace> pending = new TreeMap<>();
    private final boolean idle;
    private List<ChunkPlace> gathered = List.of();
    private long rows;
    private int reading = -1;

    /**
     * @param data in batches of this member's share
     * @param idle whether this member has no share and leases nothing
     */
    StepFeed(
            Dataset data,
            int epoch,
            UsedChunks begin,
            List<Chunk> chunks,
            EpochLedger ledger,
            boolean idle,
            Timing timing) {
        super(data, epoch, begin, chunks, ledger, timing);
        this.idle = idle;
        places = new TreeMap<>(begin.begun());
        rows = begin.rows();
        readAhead();
    }

    @Override
    public Optional<Batch> next() {
        if (reader() != null) {
            ChunkPlace place = ChunkPlace.at(reader().position(), false);
            pending.put(place.chunk(), place);
        }
        return super.next();
    }

    @Override
    protected void readAhead() {
        if (!idle) {
            super.readAhead();
        }
    }

    @Override
    void taken(int chunk) {
        reading = chunk;
    }

    @Override
    void finished(BatchReader last) {
        reading = -1;
        ChunkPlace place = ChunkPlace.at(last.position(), true);
        pending.put(place.chunk(), place);
    }

    /** Tells the other members which rows this one has used since the last agreement, and hears the same of them. */
    public void gather(Agreement agreement) {
        long[] mine = ChunkPlace.numbers(pending.values()).stream()
                .mapToLong(Long::longValue)
                .toArray();
        List<ChunkPlace> all = new ArrayList<>();
        for (long[] numbers : agreement.numbers("rows used", mine)) {
            List<Long> boxed = new ArrayList<>();
            for (long number : numbers) {
                boxed.add(number);
            }
            all.addAll(ChunkPlace.of(boxed));
        }
        gathered = all;
    }

    private static List<Integer> finishedOf(Collection<ChunkPlace> places) {
        return places.stream()
                .filter(ChunkPlace::finished)
                .map(ChunkPlace::chunk)
                .toList();
    }

    /**
     * What was gathered counts. It asks no other member.
     *
     * @param more whether a member has more data in this epoch
     * @throws DataException if none has, and chunks are left that no member could read
     */
    public void count(boolean more) {
        for (ChunkPlace place : gathered) {
            ChunkPlace before = places.get(place.chunk());
            rows += place.rows() - (before == null ? 0 : before.rows());
            places.put(place.chunk(), place);
        }
        List<Integer> done = finishedOf(places.values());
        ledger.agree(done);
        done.forEach(places::remove);
        report(finishedOf(pending.values()));
        pending.clear();
        gathered = List.of();
        int used = ledger.agreed().cardinality();
        if (!more && used < chunks().size()) {
            throw new DataException("the epoch ended with " + used + " of " + chunks().size()
                    + " parts of the data used: the others were supplied to no member");
        }
    }

    /** A report that fails changes nothing: chunks that were agreed on are passed over when they are leased again. */
    private void report(List<Integer> mine) {
        try {
            ledger.report(mine);
        } catch (GroupChangedException e) {
            LOG.debug("chunks {} were used and could not be reported: {}", mine, e.getMessage());
        }
    }

    /** The chunk this member has begun and not finished, which it would like to go on with. */
    List<Integer> begun() {
        return reading < 0 ? List.of() : List.of(reading);
    }

    @Override
    public Position position() {
        return new UsedChunks(begin().rowsPerChunk(), ledger.agreed(), places, rows).position(epoch());
    }
}
