package dev.tutti.source.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.source.Sources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Column blocks against plain arrays: in memory, in a file, and with more texts than a dictionary takes. */
class ColumnStoreTest {
    private static final int ROWS = 180_000;
    private static final Schema SCHEMA = new Schema(List.of(
            new Schema.Column("number", ColumnType.NUMBER),
            new Schema.Column("whole", ColumnType.INTEGER),
            new Schema.Column("word", ColumnType.TEXT),
            new Schema.Column("unique", ColumnType.TEXT)));

    @TempDir
    Path folder;

    private static double number(int i) {
        return i % 11 == 0 ? Double.NaN : i / 3.0;
    }

    private static String unique(int i) {
        return i % 13 == 0 ? null : "é" + i;
    }

    private static ColumnStore store(long memory) {
        try (ColumnStoreWriter writer = new ColumnStoreWriter(SCHEMA, memory)) {
            int done = 0;
            Random sizes = new Random(1);
            while (done < ROWS) {
                int count = Math.min(ROWS - done, 1 + sizes.nextInt(5000));
                for (int i = done; i < done + count; i++) {
                    writer.column(0).add(number(i));
                    writer.column(1).add((long) i * i);
                    writer.column(2).add("w" + i % 5);
                    writer.column(3).add(unique(i));
                }
                writer.rowsDone();
                done += count;
            }
            return writer.finish();
        }
    }

    private static void requireRows(ColumnStore store) {
        assertThat(store.rows()).isEqualTo(ROWS);
        Random random = new Random(2);
        long[] asked = random.longs(5000, 0, ROWS).toArray();
        asked[0] = 0;
        asked[1] = ROWS - 1;
        ColumnValues numbers = store.gather(0, asked);
        ColumnValues wholes = store.gather(1, asked);
        ColumnValues words = store.gather(2, asked);
        ColumnValues uniques = store.gather(3, asked);
        for (int i = 0; i < asked.length; i++) {
            int row = (int) asked[i];
            assertThat(Double.valueOf(numbers.number(i))).isEqualTo(Double.valueOf(number(row)));
            assertThat(wholes.whole(i)).isEqualTo((long) row * row);
            assertThat(words.text(i)).hasValue("w" + row % 5);
            assertThat(uniques.text(i).orElse(null)).isEqualTo(unique(row));
            assertThat(uniques.isMissing(i)).isEqualTo(unique(row) == null);
        }
    }

    @Test
    void anyRowIsWhatWasWritten() {
        ColumnStore store = store(Long.MAX_VALUE);
        assertThat(store.fileBytes()).isZero();
        requireRows(store);
        boolean plain = false;
        ColumnValues last = store.range(3, ROWS - 100, ROWS);
        for (int i = 0; i < 100; i++) {
            plain |= last.code(i) == ColumnValues.PLAIN;
        }
        assertThat(plain).as("the dictionary was full").isTrue();
    }

    @Test
    void memoryStaysWithinItsLimitForATableTenTimesLarger() {
        long limit = 500_000;
        ColumnStore store = store(limit);
        assertThat(store.memoryBytes()).isLessThanOrEqualTo(limit);
        assertThat(store.fileBytes()).isGreaterThan(9 * limit);
        requireRows(store);
        assertThat(store.fingerprint()).isEqualTo(store(Long.MAX_VALUE).fingerprint());
    }

    @Test
    void oneTableIsReadOnceAndSharedUntilItsFileChanges() throws IOException {
        Path file = Files.writeString(folder.resolve("a.csv"), "x\n1\n2\n");
        LoadedTable first = Sources.csv(file.toString()).load();
        assertThat(Sources.csv(file.toString()).load()).isSameAs(first);
        Files.writeString(file, "x\n1\n2\n3\n");
        assertThat(Sources.csv(file.toString()).load().store().rows()).isEqualTo(3);
        String query = "select x from '" + file + "' where x > 1";
        assertThat(Sources.sql(query).load().store().rows()).isEqualTo(2);
        Files.writeString(file, "x\n1\n2\n3\n4\n");
        assertThat(Sources.sql(query).load().store().rows()).isEqualTo(3);
    }

    @Test
    void namesOfColumnsAreUnique() {
        assertThatThrownBy(() -> new Schema(List.of(SCHEMA.column(0), SCHEMA.column(0))))
                .hasMessageContaining("two columns are named 'number'");
        assertThatThrownBy(() -> SCHEMA.indexOf("numbr")).hasMessageContaining("did you mean 'number'");
    }

    @Test
    void aFileTenTimesLargerThanItsBufferIsReadWithinIt() throws IOException {
        StringBuilder text = new StringBuilder("a,b,c\n");
        for (int i = 0; i < 400_000; i++) {
            text.append(i)
                    .append(',')
                    .append(i / 8.0)
                    .append(",w")
                    .append(i % 100)
                    .append('\n');
        }
        Path file = Files.writeString(folder.resolve("large.csv"), text);
        Path parquet = folder.resolve("large.parquet");
        Sources.sql("select 1 as a").load(); // DuckDB is there
        try (var connection = java.sql.DriverManager.getConnection("jdbc:duckdb:");
                var statement = connection.createStatement()) {
            statement.execute("COPY (FROM '" + file + "') TO '" + parquet + "' (ROW_GROUP_SIZE 50000)");
        } catch (java.sql.SQLException e) {
            throw new IllegalStateException(e);
        }
        long buffer = 700_000;
        for (Path each : List.of(file, parquet)) {
            ColumnStore store =
                    Sources.table(each.toString()).memory(buffer).load().store();
            assertThat(store.rows()).isEqualTo(400_000);
            assertThat(store.memoryBytes()).isLessThanOrEqualTo(buffer);
            assertThat(store.fileBytes()).isGreaterThan(9 * buffer);
            for (long row : new long[] {0, 49_999, 50_000, 123_456, 399_999}) {
                assertThat(store.range(0, row, row + 1).whole(0)).isEqualTo(row);
                assertThat(store.range(1, row, row + 1).number(0)).isEqualTo(row / 8.0);
                assertThat(store.range(2, row, row + 1).text(0)).hasValue("w" + row % 100);
            }
        }
    }
}
