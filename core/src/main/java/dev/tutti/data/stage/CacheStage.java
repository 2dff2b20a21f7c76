package dev.tutti.data.stage;

import dev.tutti.data.DataException;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * Keeps the rows of the stages below it, which are the same in every epoch.
 *
 * <p>Where rows can be reached by their place, each is kept at its first access, in any order in which that
 * happens: leaving an epoch half-way, resuming, or reading twice at once need no special care. A flow is read once to
 * its end before the first row is handed out; from then on its rows are counted and can be reached by their place.
 */
public final class CacheStage extends Stage {
    private static final int SHARE_OF_HEAP = 4;

    /** Bytes to keep in memory; null for a quarter of the heap. */
    private Long limit;

    /** What was kept, shared by all datasets made from this one; a copy read from JSON begins empty. */
    private transient CacheStore store;

    /** The number of rows of a flow that was read to its end. */
    private transient long filled = -1;

    private CacheStage() {}

    public CacheStage(Long limit) {
        this.limit = limit;
    }

    private synchronized CacheStore store() {
        if (store == null) {
            long bytes = limit == null ? Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP : limit;
            store = new CacheStore(bytes, Path.of(System.getProperty("java.io.tmpdir")));
        }
        return store;
    }

    @Override
    public OptionalLong size(OptionalLong before) {
        return before;
    }

    @Override
    RowView view(Upstream upstream, long epoch) {
        RowView below = upstream.view(0);
        CacheStore rows = store();
        long size = below != null ? below.size() : fill(upstream, rows);
        return new RowView() {
            @Override
            public long size() {
                return size;
            }

            @Override
            public Row get(long place) {
                Row row = rows.get(place);
                if (row == null) {
                    row = below.get(place);
                    rows.put(place, row);
                }
                return row;
            }
        };
    }

    /** Reads all rows, once. When it fails half-way, the next one begins again and finds the same rows. */
    private synchronized long fill(Upstream upstream, CacheStore rows) {
        if (filled < 0) {
            long count = 0;
            try (RowFlow flow = upstream.flow(0, StageCounters.start())) {
                for (Row row = flow.next(); row != null; row = flow.next()) {
                    rows.put(count++, row);
                }
            }
            filled = count;
        }
        return filled;
    }

    @Override
    RowFlow flow(Upstream upstream, long epoch, StageCounters saved) {
        throw new IllegalStateException("a cache can always be read by place");
    }

    @Override
    public void check() {
        if (limit != null && limit < 0) {
            throw new DataException("cache(" + limit + "): expected a limit of 0 bytes or more");
        }
    }

    @Override
    public String toString() {
        return "cache(" + (limit == null ? "" : limit) + ")";
    }
}
