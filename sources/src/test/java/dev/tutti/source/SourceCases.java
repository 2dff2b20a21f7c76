package dev.tutti.source;

import static dev.tutti.source.Sources.csv;
import static dev.tutti.source.Sources.jsonLines;
import static dev.tutti.source.Sources.parquet;
import static dev.tutti.source.Sources.sql;

import dev.tutti.array.NdArray;
import dev.tutti.data.source.Source;
import dev.tutti.source.combined.ConcatSource;
import dev.tutti.source.combined.InterleaveSource;
import dev.tutti.source.combined.ZipSource;
import dev.tutti.source.image.ImageSource;
import dev.tutti.source.jdbc.JdbcSource;
import dev.tutti.source.numpy.NumpySource;
import dev.tutti.source.record.TfRecordSource;
import dev.tutti.source.record.TfRecordWriter;
import dev.tutti.source.text.TextSource;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.imageio.ImageIO;

/** All sources there are, each with {@link SourceCase#ROWS} numbered rows. */
final class SourceCases {
    private SourceCases() {}

    static Stream<SourceCase> all() {
        return Stream.of(
                SourceCase.of("csv", folder -> csv(written(folder, "t.csv", "(format csv, header)"))),
                SourceCase.of(
                        "csv, gzip",
                        folder -> csv(written(folder, "t.csv.gz", "(format csv, header, compression gzip)"))),
                SourceCase.of(
                        "csv, zstd",
                        folder -> csv(written(folder, "t.csv.zst", "(format csv, header, compression zstd)"))),
                SourceCase.of("csv, several files", folder -> csv(several(folder, "csv", "(format csv, header)"))),
                SourceCase.of(
                        "csv, most of it in a file",
                        folder -> csv(written(folder, "t.csv", "(format csv, header)"))
                                .memory(1000)),
                SourceCase.of("parquet", folder -> parquet(written(folder, "t.parquet", "(format parquet)"))),
                SourceCase.of(
                        "parquet, several files", folder -> parquet(several(folder, "parquet", "(format parquet)"))),
                SourceCase.of("json lines", folder -> jsonLines(written(folder, "t.jsonl", "(format json)"))),
                SourceCase.of(
                        "sql",
                        folder -> sql("select id, half from '" + several(folder, "parquet", "(format parquet)") + "'")),
                SourceCase.of(
                        "sql, joined and grouped",
                        folder -> sql("select a.id as id, count(*) as n from '"
                                + several(folder, "parquet", "(format parquet)")
                                + "' a join range(3) b on true group by a.id")),
                SourceCase.of("jdbc, H2", SourceCases::h2),
                SourceCase.of("tfrecord", folder -> records(folder, "r.tfrecord")),
                SourceCase.of("tfrecord, gzip", folder -> records(folder, "r.tfrecord.gz")),
                SourceCase.of("numpy", SourceCases::numpy),
                SourceCase.of("numpy, npz", SourceCases::npz),
                new SourceCase(
                        "images",
                        SourceCases::images,
                        image -> Math.round(image.at(0) * 255) * 256 + Math.round(image.at(16) * 255)),
                new SourceCase("text, lines", folder -> lines(folder, 20), SourceCases::textId),
                new SourceCase("text, windows", SourceCases::windows, SourceCases::textId),
                SourceCase.of("zip", folder -> ZipSource.of(numpy(folder), records(folder, "r.tfrecord"))),
                SourceCase.of(
                        "concat",
                        folder -> ConcatSource.of(
                                sql("select i as id from range(0, 400) t(i)"),
                                sql("select i as id from range(400, " + SourceCase.ROWS + ") t(i)"))),
                SourceCase.of(
                        "interleave",
                        folder -> InterleaveSource.of(
                                        sql("select i as id from range(0, 400) t(i)"),
                                        sql("select i as id from range(400, " + SourceCase.ROWS + ") t(i)"))
                                .weights(3, 1)));
    }

    /** A file that DuckDB has written. */
    static String written(Path folder, String name, String options) {
        Path file = folder.resolve(name);
        execute("copy (" + rows(0, SourceCase.ROWS) + ") to '" + file + "' " + options);
        return file.toString();
    }

    /** Three files of different sizes, as a pattern. */
    static String several(Path folder, String ending, String options) {
        int[] cuts = {0, 500, 501, SourceCase.ROWS};
        for (int i = 0; i < 3; i++) {
            execute("copy (" + rows(cuts[i], cuts[i + 1]) + ") to '" + folder.resolve("part-" + i + "." + ending) + "' "
                    + options);
        }
        return folder + "/part-*." + ending;
    }

    private static String rows(int from, int to) {
        return "select i as id, i / 2 as half, (i % 7)::tinyint as small from range(" + from + ", " + to + ") t(i)";
    }

    private static Source h2(Path folder) {
        String url = "jdbc:h2:mem:rows;DB_CLOSE_DELAY=-1";
        try (var connection = DriverManager.getConnection(url);
                var statement = connection.createStatement()) {
            statement.execute("drop table if exists numbered");
            statement.execute("create table numbered as select x - 1 as id, (x - 1) / 2.0 as half from system_range(1, "
                    + SourceCase.ROWS + ")");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return JdbcSource.table(url, "numbered", "ID").range(100);
    }

    private static Source records(Path folder, String name) {
        Path file = folder.resolve(name);
        try (TfRecordWriter writer = TfRecordWriter.to(file)) {
            for (int i = 0; i < SourceCase.ROWS; i++) {
                writer.write(Map.of(
                        "x", NdArray.of(new float[] {i, i / 2f}, 2),
                        "y", NdArray.of(new long[] {i % 3}),
                        "z", NdArray.of(new byte[] {(byte) i, 1, 2}, 3)));
            }
            writer.finish();
        }
        return TfRecordSource.of(file.toString()).label("y");
    }

    private static byte[] npy() {
        String header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + SourceCase.ROWS + ", 2), }";
        header = header + " ".repeat(117 - header.length()) + "\n";
        ByteBuffer file = ByteBuffer.allocate(128 + SourceCase.ROWS * 8).order(ByteOrder.LITTLE_ENDIAN);
        file.put((byte) 0x93)
                .put("NUMPY".getBytes(StandardCharsets.US_ASCII))
                .put((byte) 1)
                .put((byte) 0);
        file.putShort((short) header.length()).put(header.getBytes(StandardCharsets.US_ASCII));
        for (int i = 0; i < SourceCase.ROWS; i++) {
            file.putFloat(i).putFloat(-i);
        }
        return file.array();
    }

    private static Source numpy(Path folder) {
        try {
            return NumpySource.of(Files.write(folder.resolve("x.npy"), npy()).toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Source npz(Path folder) {
        Path file = folder.resolve("data.npz");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
            zip.putNextEntry(new ZipEntry("x.npy"));
            zip.write(npy());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return NumpySource.of(file + ":x");
    }

    private static Source images(Path folder) {
        try {
            for (int i = 0; i < SourceCase.ROWS; i++) {
                BufferedImage image = new BufferedImage(4, 4, BufferedImage.TYPE_INT_RGB);
                image.setRGB(0, 0, i / 256 << 16 | i % 256 << 8);
                Path file = folder.resolve("images")
                        .resolve(i < 500 ? "few" : "many")
                        .resolve(i + ".png");
                Files.createDirectories(file.getParent());
                ImageIO.write(image, "png", file.toFile());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ImageSource.of(folder.resolve("images").toString()).size(4, 4);
    }

    private static Source lines(Path folder, int longest) {
        String text = IntStream.range(0, SourceCase.ROWS)
                .mapToObj(i -> String.format(Locale.ROOT, "%05d", i))
                .collect(Collectors.joining("\n"));
        try {
            return TextSource.lines(
                    longest,
                    Files.writeString(folder.resolve("lines.txt"), text).toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Source windows(Path folder) {
        lines(folder, 1);
        try {
            Path file = folder.resolve("lines.txt");
            Files.writeString(file, Files.readString(file).replace("\n", " ") + "  ");
            return TextSource.windows(6, file.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ids of bytes back to the number they were. */
    private static long textId(NdArray ids) {
        long number = 0;
        for (int i = 0; i < 5; i++) {
            number = number * 10 + ids.longAt(i) - 1 - '0';
        }
        return number;
    }

    static void execute(String sql) {
        try (var connection = DriverManager.getConnection("jdbc:duckdb:");
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }
}
