package dev.tutti.bench.data;

import dev.tutti.array.NdArray;
import dev.tutti.source.record.TfRecordWriter;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Random;
import javax.imageio.ImageIO;

/** The files that all contenders read, made by seed in {@code bench/target/data} by the first who needs them. */
final class DataFiles {
    static final int TABLE_ROWS = 200_000;
    static final int RECORDS = 20_000;
    static final int IMAGES = 1_000;

    private static final int PIXELS = 784;
    private static final int SIDE = 256;

    private DataFiles() {}

    /** The folder with all files, complete. */
    static Path make() throws IOException {
        Path folder = Path.of("bench", "target", "data");
        if (!Files.exists(folder.resolve("ready"))) {
            Files.createDirectories(folder);
            table(folder);
            records(folder.resolve("records.tfrecord"));
            images(folder.resolve("images"));
            Files.writeString(folder.resolve("ready"), "");
        }
        return folder;
    }

    private static void table(Path folder) {
        StringBuilder sql = new StringBuilder("SELECT ");
        for (int i = 0; i < 20; i++) {
            sql.append("round((hash(i, ")
                    .append(i)
                    .append(") % 1000000) / 1000.0 - 500, 3) AS n")
                    .append(i)
                    .append(", ");
        }
        for (int i = 0; i < 5; i++) {
            sql.append("'value-' || (hash(i, ")
                    .append(100 + i)
                    .append(") % 50) AS c")
                    .append(i)
                    .append(i < 4 ? ", " : "");
        }
        sql.append(" FROM range(").append(TABLE_ROWS).append(") t(i)");
        try (var connection = DriverManager.getConnection("jdbc:duckdb:");
                var statement = connection.createStatement()) {
            statement.execute("COPY (" + sql + ") TO '" + folder.resolve("table.csv") + "' (FORMAT csv, HEADER)");
            statement.execute("COPY (" + sql + ") TO '" + folder.resolve("table.parquet") + "' (FORMAT parquet)");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void records(Path file) {
        Random random = new Random(1);
        try (TfRecordWriter writer = TfRecordWriter.to(file)) {
            for (int i = 0; i < RECORDS; i++) {
                float[] values = new float[PIXELS];
                for (int j = 0; j < PIXELS; j++) {
                    values[j] = random.nextFloat();
                }
                writer.write(Map.of("image", NdArray.of(values, PIXELS), "label", NdArray.of(new long[] {i % 10})));
            }
            writer.finish();
        }
    }

    private static void images(Path folder) throws IOException {
        Random random = new Random(2);
        for (int i = 0; i < IMAGES; i++) {
            BufferedImage image = new BufferedImage(SIDE, SIDE, BufferedImage.TYPE_INT_RGB);
            int hue = random.nextInt(0xffffff);
            for (int at = 0; at < SIDE * SIDE; at++) {
                int x = at % SIDE;
                int y = at / SIDE;
                image.setRGB(x, y, hue ^ (x * y / 8 & 0x3f3f3f) ^ (random.nextInt() & 0x070707));
            }
            Path file = folder.resolve("c" + i % 4).resolve(i + ".jpg");
            Files.createDirectories(file.getParent());
            ImageIO.write(image, "jpg", file.toFile());
        }
    }
}
