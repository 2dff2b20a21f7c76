package dev.tutti.bench.data;

import dev.tutti.bench.contender.Workload;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Dataset;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

/** A whole pass from a file to batches, as if the file had never been read: its time of change is new for each pass. */
final class PassWorkload implements Workload {
    private final Path file;
    private final int rows;
    private final Supplier<Dataset> data;

    PassWorkload(Path file, int rows, Supplier<Dataset> data) {
        this.file = file;
        this.rows = rows;
        this.data = data;
    }

    @Override
    public void step() {
        try {
            Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        long seen = 0;
        try (BatchReader reader = data.get().batch(256).prefetch(4).open(0)) {
            for (Optional<Batch> next = reader.next(); next.isPresent(); next = reader.next()) {
                Batch batch = next.get();
                seen += batch.size();
            }
        }
        if (seen != rows) {
            throw new IllegalStateException("expected " + rows + " rows, received " + seen);
        }
    }

    @Override
    public int batch() {
        return rows;
    }
}
