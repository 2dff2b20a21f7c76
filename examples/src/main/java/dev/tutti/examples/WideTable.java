package dev.tutti.examples;

import static dev.tutti.loss.Losses.mse;
import static dev.tutti.metric.Metrics.r2;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.progress;

import dev.tutti.data.Dataset;
import dev.tutti.nn.Sequential;
import dev.tutti.source.Sources;
import dev.tutti.source.column.ColumnEncoder;
import dev.tutti.source.column.Columns;
import dev.tutti.source.column.LabelColumn;
import dev.tutti.source.column.NumericColumn;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * A wide table, a million rows of a hundred numbers by default, from a CSV file to the first epoch of a linear model, and where the
 * time goes.
 */
public final class WideTable {
    private static final int COLUMNS = 100;

    private WideTable() {}

    static void run(PrintStream out, Path home, List<String> arguments) throws IOException {
        int rows = arguments.isEmpty() ? 1_000_000 : Integer.parseInt(arguments.get(0));
        run(out, rows, Path.of("runs", "wide-table"));
    }

    static History run(PrintStream out, int rows, Path folder) throws IOException {
        Path file = folder.resolve("wide-" + rows + ".csv");
        if (!Files.exists(file)) {
            Files.createDirectories(folder);
            write(rows, file);
        }
        ColumnEncoder[] inputs = new ColumnEncoder[COLUMNS - 1];
        for (int i = 0; i < inputs.length; i++) {
            inputs[i] = NumericColumn.of("x" + i);
        }
        Columns unfitted = Columns.of(inputs).label(LabelColumn.number("y"));
        long began = System.nanoTime();
        Dataset table = Dataset.of(Sources.csv(file.toString()));
        Columns columns = unfitted.fit(table);
        long fitted = System.nanoTime();
        Dataset batches = table.map(columns).shuffle(1).batch(1024).prefetch(4);
        long read = batches.size().orElseThrow();
        try (var trainer = Trainer.of(Sequential.of(dense(1)), adam(0.01), mse())
                .metrics(r2())
                .seed(1)) {
            History history = trainer.fit(batches, epochs(1).callbacks(progress(out, false)));
            long ended = System.nanoTime();
            double megabytes = Files.size(file) / 1e6;
            out.printf(
                    Locale.ROOT,
                    "%,d rows of %d columns, %,.0f MB of CSV%n  %6.1f s to read the table and fit its columns%n"
                            + "  %6.1f s for the epoch%n  %6.1f s in all, %,.0f rows a second%n",
                    read,
                    COLUMNS,
                    megabytes,
                    (fitted - began) / 1e9,
                    (ended - fitted) / 1e9,
                    (ended - began) / 1e9,
                    read / ((ended - began) / 1e9));
            out.println(history.times());
            return history;
        }
    }

    /** The last column is the sum of the others by weights, and some noise. */
    private static void write(int rows, Path file) throws IOException {
        Random random = new Random(1);
        try (BufferedWriter writer = Files.newBufferedWriter(file)) {
            for (int i = 0; i < COLUMNS - 1; i++) {
                writer.write("x" + i + ",");
            }
            writer.write("y\n");
            StringBuilder line = new StringBuilder();
            for (int row = 0; row < rows; row++) {
                line.setLength(0);
                long sum = random.nextInt(10_000);
                for (int i = 0; i < COLUMNS - 1; i++) {
                    int value = random.nextInt(100_000) - 50_000;
                    sum += (long) value * (i % 7 - 3);
                    thousandths(value, line).append(',');
                }
                thousandths(sum, line).append('\n');
                writer.append(line);
            }
        }
    }

    private static StringBuilder thousandths(long value, StringBuilder into) {
        long positive = Math.abs(value);
        into.append(value < 0 ? "-" : "").append(positive / 1000).append('.');
        long rest = positive % 1000;
        return into.append(rest < 100 ? "0" : "").append(rest < 10 ? "0" : "").append(rest);
    }
}
