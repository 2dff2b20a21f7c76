package dev.tutti.source.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.source.Sources;
import dev.tutti.source.table.ColumnStore;
import dev.tutti.source.table.ColumnStoreWriter;
import dev.tutti.source.table.Schema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables ten times larger than the memory they may take. */
class BoundedMemoryTest {
    private static final long MEMORY = 1 << 20;

    @TempDir
    Path folder;

    @Test
    void linesOfJsonTakeNoMoreMemoryThanTheyMay() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 400_000; i++) {
            text.append("{\"id\":")
                    .append(i)
                    .append(",\"half\":")
                    .append(i / 2.0)
                    .append(",\"k\":\"")
                    .append((char) ('a' + i % 7))
                    .append("\"}\n");
        }
        Path file = Files.writeString(folder.resolve("many.jsonl"), text);
        assertThat(Files.size(file)).isGreaterThan(10 * MEMORY);
        var source = Sources.jsonLines(file.toString());
        ColumnStore bounded = source.memory(MEMORY).load().store();
        assertThat(bounded.rows()).isEqualTo(400_000);
        assertThat(bounded.memoryBytes()).isLessThanOrEqualTo(MEMORY);
        assertThat(bounded.fileBytes()).isGreaterThan(6 * MEMORY);
        assertThat(bounded.range(1, 399_999, 400_000).number(0)).isEqualTo(199_999.5);
        assertThat(bounded.fingerprint()).isEqualTo(source.load().store().fingerprint());
    }

    @Test
    void aQueryPutsAsideWhatItsMemoryHasNoRoomFor() throws Exception {
        long rows = 12_000_000;
        String query = "(SELECT hash(range) >> 1 AS h, range AS r FROM range(" + rows + ") ORDER BY h)";
        long limit = DuckDb.LEAST_MEMORY; // what is sorted takes three times as much
        long most = 0;
        long aside = 0;
        try (DuckDb database = DuckDb.bounded("sorted", MEMORY)) {
            Schema schema = database.describe(query).select(java.util.List.of("r"));
            CompletableFuture<ColumnStore> reading = CompletableFuture.supplyAsync(() -> {
                try (ColumnStoreWriter writer = new ColumnStoreWriter(schema, MEMORY)) {
                    database.read(query, schema, writer);
                    return writer.finish();
                }
            });
            while (!reading.isDone()) {
                long[] now = database.bytesInUse();
                most = Math.max(most, now[0]);
                aside = Math.max(aside, now[1]);
                Thread.sleep(5);
            }
            ColumnStore store = reading.get(1, TimeUnit.SECONDS);
            assertThat(store.rows()).isEqualTo(rows);
            assertThat(store.memoryBytes()).isLessThanOrEqualTo(MEMORY);
            assertThat(store.fileBytes()).isGreaterThan(10 * MEMORY);
        }
        assertThat(most).as("bytes of memory").isPositive().isLessThan(limit + limit / 2);
        assertThat(aside).as("bytes in temporary files").isPositive();
    }
}
