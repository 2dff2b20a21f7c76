package dev.tutti.source.csv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.source.Sources;
import dev.tutti.source.table.ColumnStore;
import dev.tutti.source.table.ColumnStoreWriter;
import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.LoadedTable;
import dev.tutti.source.table.Schema;
import dev.tutti.source.table.TableSource;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plain files as they are parsed here against what DuckDB, which reads packed files, makes of the same bytes. */
class PlainCsvTest {
    private static final Set<String> MISSING = Set.of("", "NA", "?");
    private static final Map<String, ColumnType> TYPES = new LinkedHashMap<>();

    static {
        TYPES.put("number", ColumnType.NUMBER);
        TYPES.put("whole", ColumnType.INTEGER);
        TYPES.put("word", ColumnType.TEXT);
        TYPES.put("text", ColumnType.TEXT);
    }

    @TempDir
    Path folder;

    private static Schema schema() {
        return new Schema(TYPES.entrySet().stream()
                .map(entry -> new Schema.Column(entry.getKey(), entry.getValue()))
                .toList());
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private Path packed(Path file) throws IOException {
        Path target = file.resolveSibling(file.getFileName() + ".gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(target))) {
            Files.copy(file, out);
        }
        return target;
    }

    /** What is parsed here, if the file is plain. */
    private static Optional<ColumnStore> plain(Path... files) throws IOException {
        Optional<CsvDialect> dialect = CsvDialect.of(files[0], null);
        if (dialect.isEmpty()) {
            return Optional.empty();
        }
        try (ColumnStoreWriter writer = new ColumnStoreWriter(schema(), Long.MAX_VALUE)) {
            return new PlainCsv(dialect.get(), schema(), MISSING).read(List.of(files), writer)
                    ? Optional.of(writer.finish())
                    : Optional.empty();
        }
    }

    private static LoadedTable byDuckDb(Path packed) {
        TableSource table = Sources.csv(packed.toString()).reading(TYPES);
        return table.load();
    }

    private static String number(Random random) {
        return switch (random.nextInt(9)) {
            case 0 -> "";
            case 1 -> "NA";
            case 2 -> Long.toString(random.nextLong());
            case 3 -> Double.toString(random.nextGaussian() * Math.pow(10, random.nextInt(40) - 20));
            case 4 -> random.nextInt(1000) + ".";
            case 5 -> "." + random.nextInt(1000);
            case 6 -> " " + random.nextInt(1000);
            case 7 -> "-0." + Math.abs(random.nextLong());
            default -> Math.round(random.nextGaussian() * 1e5) / 1000.0 + "";
        };
    }

    private static String text(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> "";
            case 1 -> " ? ";
            case 2 -> "  two words ";
            case 3 -> "čeština " + random.nextInt(50);
            case 4 -> "a longer text that has more than sixteen bytes, no: ".replace(",", "") + random.nextInt(9);
            default -> "w" + random.nextInt(100_000);
        };
    }

    private static String rows(int count, long seed, String newline) {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder("whole,number,unused,word,text").append(newline);
        for (int i = 0; i < count; i++) {
            text.append(i % 50 == 49 ? "" : i * (i % 2 == 0 ? 1L : -1_000_000_007L))
                    .append(',');
            text.append(number(random))
                    .append(",7,v")
                    .append(random.nextInt(20))
                    .append(',');
            text.append(text(random)).append(i == count - 1 ? "" : newline);
        }
        return text.toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n"})
    void plainFilesGiveTheSameTableAsDuckDb(String newline) throws IOException {
        String beginning = "whole,number,unused,word,text" + newline + ("1,2.5,7,v1,x" + newline).repeat(3000);
        String text = rows(60_000, 3, newline);
        Path file = write("rows.csv", beginning + text.substring(text.indexOf(newline) + newline.length()));
        Optional<ColumnStore> here = plain(file);
        assertThat(here).isPresent();
        assertThat(here.get().rows()).isEqualTo(63_000);
        assertThat(here.get().fingerprint())
                .isEqualTo(byDuckDb(packed(file)).store().fingerprint());
        assertThat(here.get().fingerprint())
                .isEqualTo(Sources.csv(file.toString())
                        .reading(TYPES)
                        .load()
                        .store()
                        .fingerprint());
    }

    @Test
    void severalFilesFollowEachOther() throws IOException {
        String head = "whole,number,unused,word,text\n";
        Path first = write("a.csv", head + "1,2,7,a,b\n2,3,7,a,c");
        Path second = write("b.csv", head + "3,4,7,d,\"quoted, with \"\"quotes\"\"\"\n");
        ColumnStore here = plain(first, second).orElseThrow();
        assertThat(here.rows()).isEqualTo(3);
        assertThat(here.range(3, 2, 3).text(0)).hasValue("quoted, with \"quotes\"");
        Path other = write("c.csv", "number,whole,unused,word,text\n3,4,7,d,e\n");
        assertThat(plain(first, other)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "3,x,7,a,b",
                "3,1_000,7,a,b",
                "3,2,7,a",
                "3,2,7,a,b,c",
                "1.5,2,7,a,b",
                "3,inf,7,a,b",
                "",
                "3,2,7,a\"b,c",
                "3,2,7,\"a\nb\",c",
                "3,2,7,\"a,b",
                "99999999999999999999,2,7,a,b",
                "3,+5,7,a,b",
                "3,0x10,7,a,b"
            })
    void whatIsNotPlainIsLeftToDuckDb(String line) throws IOException {
        String head = "whole,number,unused,word,text\n" + "1,2,7,a,b\n".repeat(9000);
        Path file = write("odd.csv", head + line + "\n" + "1,2,7,a,b\n".repeat(10));
        assertThat(plain(file)).isEmpty();
    }

    @Test
    void bytesThatAreNoTextAreLeftToDuckDb() throws IOException {
        byte[] text = ("whole,number,unused,word,text\n" + "1,2,7,a,b\n".repeat(9000) + "1,2,7,?,b\n")
                .getBytes(StandardCharsets.ISO_8859_1);
        text[text.length - 4] = (byte) 0xe9;
        Path file = Files.write(folder.resolve("latin.csv"), text);
        assertThat(plain(file)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1,2\n3,4\n",
                "a,b\nx,y\n",
                "a;b,c\n1;2,3\n",
                "\"a\",b\n1,2\n",
                "a,a\n1,2\n",
                "# note\na,b\n1,2\n"
            })
    void aFirstLineThatIsNoCertainHeaderIsLeftToDuckDb(String text) throws IOException {
        assertThat(CsvDialect.of(write("doubt.csv", text), null)).isEmpty();
    }

    @Test
    void delimitersAreFoundOut() throws IOException {
        assertThat(CsvDialect.of(write("a.csv", "x;y\n1,5;a\n2;b\n"), null)).isEmpty();
        assertThat(CsvDialect.of(write("a.csv", "x;y\n1;a\n2;b\n"), null)
                        .orElseThrow()
                        .names())
                .containsExactly("x", "y");
        assertThat(CsvDialect.of(write("a.csv", "x;y\n1;a\n2;b\n"), ",")).isEmpty();
    }
}
