package dev.tutti.data.stage;

import dev.tutti.data.Batch;
import dev.tutti.data.Chunk;
import dev.tutti.data.DataException;
import dev.tutti.data.SourcePart;
import dev.tutti.data.source.Source;
import dev.tutti.data.source.Source.RandomRows;
import dev.tutti.data.source.Source.Rows;
import dev.tutti.data.source.Source.SequentialRows;
import dev.tutti.data.source.SourceFlow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * A recipe opened: the source and the stages above it, of which the lower ones can be reached by place and the others
 * cannot.
 *
 * <p>Chunks are cut at the highest stage that can be reached by place, or at the parts of the source; all that lies
 * above is done to each chunk for itself. Where a stage above counts rows that is not possible, and the epoch is one
 * chunk.
 */
public final class Pipeline implements AutoCloseable {
    private final Rows rows;
    private final List<Stage> stages;
    private final String fingerprint;

    public Pipeline(Source source, List<Stage> stages) {
        stages.forEach(Stage::check);
        this.stages = stages;
        this.rows = source.open();
        this.fingerprint = source.fingerprint();
        long size = rows instanceof RandomRows random ? random.size() : ((SequentialRows) rows).parts();
        if (size == 0) {
            rows.close();
            throw new DataException("the dataset is empty: " + source + " has no rows");
        }
    }

    String fingerprint() {
        return fingerprint;
    }

    /** The rows of an epoch, or of a chunk of it, or from a saved place on. */
    public RowFlow open(long epoch, Chunk chunk, StageCounters saved) {
        RowFlow flow = flow(stages.size(), epoch, saved, chunk == null ? null : new Cut(epoch).checked(chunk));
        if (!saved.isStart()) {
            saved.requireAllRead();
        }
        return flow;
    }

    public List<Chunk> chunks(long epoch, long rowsPerChunk) {
        Cut cut = new Cut(epoch);
        if (!cut.possible) {
            return List.of(new Chunk(0, 0, cut.total));
        }
        long each = cut.view == null ? 1 : rowsPerChunk;
        List<Chunk> chunks = new ArrayList<>();
        for (long from = 0; from < cut.total; from += each) {
            chunks.add(new Chunk(chunks.size(), from, Math.min(cut.total, from + each)));
        }
        return chunks;
    }

    /** Whether chunks are parts of the source, since no row can be reached by its place. */
    public boolean readsInOrder(long epoch) {
        return new Cut(epoch).view == null;
    }

    /** The parts of a source that is read in order, as chunks; a single one where the epoch cannot be cut. */
    public List<SourcePart> parts(long epoch) {
        return chunks(epoch, 1).stream()
                .map(chunk -> new SourcePart(chunk, are(chunk, epoch, Near.HERE), are(chunk, epoch, Near.NEAR)))
                .toList();
    }

    private enum Near {
        HERE,
        NEAR
    }

    private boolean are(Chunk chunk, long epoch, Near question) {
        SequentialRows sequential = (SequentialRows) rows;
        Permutation order = orderOfParts(sequential.parts(), epoch);
        return LongStream.range(chunk.from(), chunk.to())
                .mapToInt(place -> Math.toIntExact(order == null ? place : order.at(place)))
                .allMatch(part -> question == Near.HERE ? sequential.isHere(part) : sequential.isNear(part));
    }

    /**
     * A chunk that can be read here, for a look at the rows; empty where the whole epoch can be read.
     *
     * @throws DataException if none can
     */
    public Optional<Chunk> readable(long epoch) {
        if (!(rows instanceof SequentialRows sequential)
                || !readsInOrder(epoch)
                || IntStream.range(0, sequential.parts()).allMatch(sequential::isHere)) {
            return Optional.empty();
        }
        return Optional.of(parts(epoch).stream()
                .filter(SourcePart::isHere)
                .findFirst()
                .map(SourcePart::chunk)
                .orElseThrow(() -> new DataException("none of the " + sequential.parts()
                        + " parts of the data is here: this member's place supplies no rows of them")));
    }

    /** Where the stages stop being reachable by place. */
    private final class Cut {
        private final RowView view;
        private final long total;
        private final boolean possible;

        Cut(long epoch) {
            int at = stages.size();
            RowView found = view(at, epoch);
            while (found == null && at > 0) {
                found = view(--at, epoch);
            }
            this.view = found;
            this.total = found != null ? found.size() : ((SequentialRows) rows).parts();
            this.possible = stages.subList(at, stages.size()).stream().allMatch(Stage::worksOnParts);
        }

        Chunk checked(Chunk chunk) {
            boolean whole = chunk.from() == 0 && chunk.to() == total;
            if (chunk.from() < 0 || chunk.to() > total || chunk.from() > chunk.to() || !possible && !whole) {
                throw new DataException(chunk + " is not a chunk of this dataset, which has "
                        + (possible
                                ? total + (view == null ? " parts" : " rows")
                                : "a single chunk from 0 to " + total));
            }
            return chunk;
        }
    }

    private RowView view(int depth, long epoch) {
        if (depth > 0) {
            return stages.get(depth - 1).view(new Below(depth - 1, null), epoch);
        }
        return rows instanceof RandomRows random ? new SourceView(random) : null;
    }

    private RowFlow flow(int depth, long epoch, StageCounters saved, Chunk chunk) {
        RowView view = view(depth, epoch);
        if (view != null) {
            return chunk == null
                    ? new ViewFlow(view, 0, view.size(), saved)
                    : new ViewFlow(view, chunk.from(), chunk.to(), saved);
        }
        if (depth > 0) {
            return stages.get(depth - 1).flow(new Below(depth - 1, chunk), epoch, saved);
        }
        SequentialRows parts = (SequentialRows) rows;
        long from = chunk == null ? 0 : chunk.from();
        long to = chunk == null ? parts.parts() : chunk.to();
        return new SourceFlow(parts, orderOfParts(parts.parts(), epoch), from, to, saved);
    }

    /** A shuffle that has only row-wise stages below it mixes the parts as well. */
    private Permutation orderOfParts(int parts, long epoch) {
        int first = IntStream.range(0, stages.size())
                .filter(i -> !stages.get(i).rowWise())
                .findFirst()
                .orElse(-1);
        return first >= 0 && stages.get(first) instanceof ShuffleStage shuffle
                ? new Permutation(parts, shuffle.orderSeed(epoch))
                : null;
    }

    private record SourceView(RandomRows rows) implements RowView {
        @Override
        public long size() {
            return rows.size();
        }

        @Override
        public Row get(long place) {
            return new Row(place, 0, rows.row(place));
        }

        @Override
        public boolean isConcurrent() {
            return rows.isConcurrent();
        }

        @Override
        public boolean gathers() {
            return rows instanceof Source.BatchRows;
        }

        @Override
        public Batch gather(long[] places) {
            return ((Source.BatchRows) rows).rows(places);
        }
    }

    private final class Below implements Stage.Upstream {
        private final int depth;
        private final Chunk chunk;

        Below(int depth, Chunk chunk) {
            this.depth = depth;
            this.chunk = chunk;
        }

        @Override
        public int stageNumber() {
            return depth + 1;
        }

        @Override
        public RowView view(long epoch) {
            return Pipeline.this.view(depth, epoch);
        }

        @Override
        public RowFlow flow(long epoch, StageCounters saved) {
            return Pipeline.this.flow(depth, epoch, saved, chunk);
        }
    }

    @Override
    public void close() {
        rows.close();
    }
}
