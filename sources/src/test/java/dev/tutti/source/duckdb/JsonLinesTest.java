package dev.tutti.source.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.data.DataException;
import dev.tutti.source.Sources;
import dev.tutti.source.table.BadRows;
import dev.tutti.source.table.ColumnStore;
import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.LoadedTable;
import dev.tutti.source.table.TableSource;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines of JSON that are damaged or hold values of another type, under each policy. */
class JsonLinesTest {
    private static final String TEXT = """
            {"a": 1, "b": "x", "c": {"d": [1, 2]}}
            {"a": 2, "b": "y"
            {"a": 3, "b": null}

            [4]
            {"a": "five", "b": "z"}
            {"a": 6, "b": "ü", "c": {"d": []}}
            {"a": 7, "b": "cut sho""";

    @TempDir
    Path folder;

    private TableSource table(String text) throws IOException {
        return Sources.jsonLines(
                        Files.writeString(folder.resolve("rows.jsonl"), text).toString())
                .types(Map.of("a", ColumnType.INTEGER));
    }

    @Test
    void theFirstDamagedLineFailsWithItsPlace() throws IOException {
        assertThatThrownBy(() -> table(TEXT).load())
                .isInstanceOf(DataException.class)
                .hasMessageContaining("rows.jsonl, line 2: expected a JSON object, received '{\"a\": 2, \"b\": \"y\"'")
                .hasMessageContaining("badRows");
    }

    @Test
    void damagedLinesAreSkippedUpToALimitAndTheOthersAreAsTheyAre() throws IOException {
        LoadedTable loaded = table(TEXT).badRows(BadRows.skip(4)).load();
        assertThat(loaded.badRows()).isEqualTo(4);
        ColumnStore store = loaded.store();
        assertThat(store.rows()).isEqualTo(3);
        assertThat(new long[] {
                    store.range(0, 0, 3).whole(0),
                    store.range(0, 0, 3).whole(1),
                    store.range(0, 0, 3).whole(2)
                })
                .containsExactly(1, 3, 6);
        assertThat(store.range(1, 0, 3).text(2)).contains("ü");
        assertThat(loaded.notices())
                .singleElement()
                .asString()
                .contains("4 bad rows")
                .contains("line 2");
        String good =
                TEXT.lines().filter(line -> line.matches("\\{\"a\": [136].*")).reduce("", (a, b) -> a + b + "\n");
        assertThat(table(good).load().store().fingerprint()).isEqualTo(store.fingerprint());
        assertThatThrownBy(() -> table(TEXT).badRows(BadRows.skip(3)).load())
                .hasMessageContaining("more than 3 bad rows")
                .hasMessageContaining("line 8");
    }

    @Test
    void damagedLinesOfAPackedFileAreCollectedWithTheirReasons() throws IOException {
        Path packed = folder.resolve("packed.jsonl.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
            out.write(TEXT.getBytes(StandardCharsets.UTF_8));
        }
        Path side = folder.resolve("bad.csv");
        LoadedTable loaded = Sources.jsonLines(packed.toString())
                .types(Map.of("a", ColumnType.INTEGER))
                .badRows(BadRows.collect(10, side.toString()))
                .load();
        assertThat(loaded.store().rows()).isEqualTo(3);
        assertThat(Files.readAllLines(side))
                .hasSize(5)
                .anySatisfy(line -> assertThat(line)
                        .contains("packed.jsonl.gz, line 6")
                        .contains("column 'a': expected a whole number, received 'five'"));
    }

    @Test
    void damagedLinesOfAFilePackedWithZstdAreSkipped() throws IOException {
        Path plain = Files.writeString(folder.resolve("plain.jsonl"), TEXT);
        Path packed = folder.resolve("packed.jsonl.zst");
        try (DuckDb database = new DuckDb("test")) {
            database.execute("COPY (SELECT content FROM read_text(" + DuckDb.literal(plain.toString()) + ")) TO "
                    + DuckDb.literal(packed.toString())
                    + " (FORMAT csv, HEADER false, DELIMITER e'\\x01', QUOTE '', ESCAPE '', COMPRESSION zstd)");
        }
        TableSource table = Sources.jsonLines(packed.toString()).types(Map.of("a", ColumnType.INTEGER));
        LoadedTable loaded = table.badRows(BadRows.skip(4)).load();
        assertThat(loaded.badRows()).isEqualTo(4);
        assertThat(loaded.store().rows()).isEqualTo(3);
        assertThatThrownBy(table::load).hasMessageContaining("packed.jsonl.zst, line 2: expected a JSON object");
    }

    @Test
    void aValueOfAnotherTypeBehindTheFirstLinesIsABadRow() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 30_000; i++) {
            text.append("{\"v\": ").append(i == 25_000 ? "\"many\"" : i).append("}\n");
        }
        Path file = Files.writeString(folder.resolve("late.jsonl"), text);
        assertThatThrownBy(() -> Sources.jsonLines(file.toString()).load())
                .hasMessageContaining("late.jsonl, line 25001: column 'v': expected a whole number, received 'many'");
        assertThat(Sources.jsonLines(file.toString())
                        .badRows(BadRows.skip(1))
                        .load()
                        .store()
                        .rows())
                .isEqualTo(29_999);
    }
}
