package dev.tutti.bench.data;

import dev.tutti.bench.contender.Workload;
import dev.tutti.bench.contender.WorkloadServer;
import dev.tutti.data.Dataset;
import dev.tutti.source.Sources;
import dev.tutti.source.column.CategoryColumn;
import dev.tutti.source.column.ColumnEncoder;
import dev.tutti.source.column.Columns;
import dev.tutti.source.column.NumericColumn;
import dev.tutti.source.image.ImageSource;
import dev.tutti.source.record.TfRecordSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** The process that runs our passes over files: csv, parquet, tfrecord and jpeg. */
public final class DataContender {
    private DataContender() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = DataFiles.make();
        Map<String, Supplier<Workload>> all = new LinkedHashMap<>();
        all.put("csv", () -> table(folder.resolve("table.csv")));
        all.put("parquet", () -> table(folder.resolve("table.parquet")));
        Path records = folder.resolve("records.tfrecord");
        all.put(
                "tfrecord",
                () -> new PassWorkload(
                        records,
                        DataFiles.RECORDS,
                        () -> Dataset.of(TfRecordSource.of(records.toString()).label("label"))));
        Path images = folder.resolve("images");
        all.put(
                "jpeg",
                () -> new PassWorkload(
                        images.resolve("c0").resolve("0.jpg"),
                        DataFiles.IMAGES,
                        () -> Dataset.of(ImageSource.of(images.toString()).size(128, 128))));
        new WorkloadServer(all).serveStandardStreams();
    }

    private static Workload table(Path file) {
        ColumnEncoder[] encoders = new ColumnEncoder[25];
        for (int i = 0; i < 20; i++) {
            encoders[i] = NumericColumn.of("n" + i);
        }
        for (int i = 0; i < 5; i++) {
            encoders[20 + i] = CategoryColumn.of("c" + i).size(64).embedding();
        }
        Columns columns = Columns.of(encoders).fit(Dataset.of(Sources.table(file.toString())));
        return new PassWorkload(
                file,
                DataFiles.TABLE_ROWS,
                () -> Dataset.of(Sources.table(file.toString())).map(columns));
    }
}
