package dev.tutti.source.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.data.BatchReader;
import dev.tutti.data.DataException;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.source.Sources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows that cannot be read, files that change or vanish, tables that are empty: each with its sentence. */
class BadRowsTest {
    private static final String TEXT = "a,b\n1,2\n3,x\n4,5\n6\n7,8\n9,z\n";
    private static final Map<String, ColumnType> NUMBERS = Map.of("a", ColumnType.NUMBER, "b", ColumnType.NUMBER);

    @TempDir
    Path folder;

    private TableSource table(String text) throws IOException {
        return Sources.csv(Files.writeString(folder.resolve("rows.csv"), text).toString());
    }

    @Test
    void theFirstBadRowFailsWithItsPlaceValueAndWhatWasExpected() throws IOException {
        assertThatThrownBy(() -> table(TEXT).types(NUMBERS).load())
                .isInstanceOf(DataException.class)
                .hasMessageContaining("rows.csv, line 3: column 'b': expected a number, received 'x'")
                .hasMessageContaining("badRows");
    }

    @Test
    void badRowsAreSkippedUpToALimitAndCounted() throws IOException {
        LoadedTable loaded = table(TEXT).types(NUMBERS).badRows(BadRows.skip(3)).load();
        assertThat(loaded.store().rows()).isEqualTo(3);
        assertThat(loaded.badRows()).isEqualTo(3);
        assertThat(loaded.notices())
                .singleElement()
                .asString()
                .contains("3 bad rows")
                .contains("line 3");
        assertThatThrownBy(() ->
                        table(TEXT).types(NUMBERS).badRows(BadRows.skip(2)).load())
                .hasMessageContaining("more than 2 bad rows")
                .hasMessageContaining("line 7");
    }

    @Test
    void badRowsAreCollectedInAFileWithTheirReasons() throws IOException {
        Path side = folder.resolve("side").resolve("bad.csv");
        Files.createDirectories(side.getParent());
        LoadedTable loaded = table(TEXT)
                .types(NUMBERS)
                .badRows(BadRows.collect(10, side.toString()))
                .load();
        assertThat(loaded.notices()).singleElement().asString().contains("written to " + side);
        assertThat(Files.readAllLines(side))
                .hasSize(4)
                .anySatisfy(line -> assertThat(line)
                        .contains("line 3")
                        .contains("received 'x'")
                        .contains("\"3,x\""));
    }

    @Test
    void aColumnThatChangesItsTypeHalfWayIsABadRow() throws IOException {
        StringBuilder text = new StringBuilder("id,value\n");
        for (int i = 0; i < 60_000; i++) {
            text.append(i)
                    .append(',')
                    .append(i == 50_000 ? "fifty thousand" : i)
                    .append('\n');
        }
        assertThatThrownBy(() -> table(text.toString()).load())
                .hasMessageContaining("line 50002")
                .hasMessageContaining("column 'value': expected a whole number, received 'fifty thousand'");
    }

    @Test
    void aFileThatIsChangedWhileItIsReadIsRefused() throws IOException {
        Path file = Files.writeString(folder.resolve("growing.csv"), "a\n1\n");
        FileSet files = FileSet.of(java.util.List.of(file.toString()), java.util.List.of(".csv"));
        String before = files.state();
        Files.writeString(file, "a\n1\n2\n");
        assertThatThrownBy(() -> files.requireUnchanged(before))
                .hasMessageContaining("growing.csv: was changed while it was being read: before 4 bytes")
                .hasMessageContaining("now 6 bytes");
        Files.delete(file);
        assertThatThrownBy(() -> files.requireUnchanged(before)).hasMessageContaining("has vanished");
    }

    @Test
    void aPositionInOtherDataIsRefused() throws IOException {
        Position position;
        try (BatchReader reader = Dataset.of(table("a\n1\n2\n3\n")).batch(1).open(0)) {
            reader.next();
            position = reader.position();
        }
        Dataset changed = Dataset.of(table("a\n1\n2\n3\n4\n")).batch(1);
        assertThatThrownBy(() -> changed.open(0, position))
                .isInstanceOf(DataException.class)
                .hasMessageContaining(
                        "the data has changed since this place in it was saved: it was 3 rows of 1 columns")
                .hasMessageContaining("now it is 4 rows");
    }

    @Test
    void whatIsMissingIsSaid() throws IOException {
        assertThatThrownBy(() -> Sources.csv(folder + "/none.csv").load())
                .hasMessageContaining("there is no such file");
        assertThatThrownBy(() -> Sources.csv(folder + "/*.none").load()).hasMessageContaining("no file matches");
        assertThatThrownBy(() -> Sources.parquet(folder.toString()).load()).hasMessageContaining("holds no file");
        assertThatThrownBy(() -> Dataset.of(table("a,b\n")).open(0)).hasMessageContaining("the dataset is empty");
        assertThatThrownBy(() -> Sources.sql("select nothing from nowhere").load())
                .isInstanceOf(DataException.class)
                .hasMessageContaining("nowhere");
        Files.writeString(folder.resolve("broken.parquet"), "no parquet");
        assertThatThrownBy(() -> Sources.parquet(folder + "/broken.parquet").load())
                .isInstanceOf(DataException.class)
                .hasMessageContaining("broken.parquet");
    }
}
