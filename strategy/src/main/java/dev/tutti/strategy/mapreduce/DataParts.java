package dev.tutti.strategy.mapreduce;

import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Chunk;
import dev.tutti.data.Dataset;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** The parts of a dataset that maps are given, the same in every process. */
public final class DataParts {
    private final Dataset data;
    private final List<Chunk> chunks;

    /** @param parts about how many parts the data is cut into; data that can be read in order only keeps its own parts */
    public DataParts(Dataset data, int parts) {
        this.data = data.keepLast();
        long rows = data.size().orElse(Long.MAX_VALUE);
        this.chunks = this.data.chunks(0, rows == Long.MAX_VALUE ? rows : Math.max(1, (rows + parts - 1) / parts));
    }

    public int count() {
        return chunks.size();
    }

    /** The batches of a part, from the first. */
    public Iterator<Batch> batches(int part) {
        List<Batch> all = new ArrayList<>();
        try (BatchReader reader = data.open(0, chunks.get(part))) {
            for (Optional<Batch> next = reader.next(); next.isPresent(); next = reader.next()) {
                all.add(next.get());
            }
        }
        return all.iterator();
    }
}
