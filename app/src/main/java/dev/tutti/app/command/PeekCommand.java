package dev.tutti.app.command;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.TextTable;
import dev.tutti.app.UsageException;
import dev.tutti.source.image.ImageSource;
import dev.tutti.source.profile.ColumnProfile;
import dev.tutti.source.profile.TableProfile;
import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.TableSource;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows what a table holds. */
@Command(
        name = "peek",
        sortOptions = false,
        description =
                "Shows what a table holds: types, missing values, distributions, a few rows; or a folder of images.")
public final class PeekCommand extends TuttiCommand {
    private static final double LEAST_WRITTEN_OUT = 1e-4;
    private static final double MOST_WRITTEN_OUT = 1e12;

    private static final int WIDEST = 24;

    @Mixin
    private TableArgument said;

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "5",
            description = "How many rows to show; 5 by default.")
    private int rows;

    public PeekCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        if (rows < 0) {
            throw new UsageException("--rows " + rows + ": expected 0 or more");
        }
        if (said.isImages()) {
            return images();
        }
        TableSource table = said.address().source();
        TableProfile profile = TableProfile.of(table, rows);
        people().printf(
                        Locale.ROOT,
                        "%s: %,d rows, %d columns%n%n",
                        said.path(),
                        profile.rows(),
                        profile.columns().size());
        TextTable columns = new TextTable(List.of("column", "type", "missing", "different", "distribution", "values"));
        for (ColumnProfile column : profile.columns()) {
            columns.add(List.of(
                    column.name(),
                    column.type().toString(),
                    column.missing() == 0 ? "-" : percent(column.missing(), column.rows()),
                    (column.different() >= TableProfile.MOST_DIFFERENT ? "over " : "")
                            + String.format(Locale.ROOT, "%,d", column.different()),
                    column.bars(),
                    values(column)));
        }
        people().print(columns);
        if (!profile.sample().isEmpty()) {
            people().println();
            TextTable sample = new TextTable(
                    profile.columns().stream().map(ColumnProfile::name).toList());
            profile.sample()
                    .forEach(row ->
                            sample.add(row.stream().map(PeekCommand::shortened).toList()));
            people().print(sample);
        }
        table.notices().forEach(people()::println);
        answer(answer(profile));
        return ExitCode.FINE;
    }

    /** Shows the classes of a folder of images. */
    private ExitCode images() {
        ImageSource images = ImageSource.of(said.path());
        Map<String, Long> counts = images.counts();
        long all = images.size().orElseThrow();
        people().printf(Locale.ROOT, "%s: %,d images, %d classes%n%n", said.path(), all, counts.size());
        TextTable classes = new TextTable(List.of("class", "images", "share"));
        counts.forEach((name, count) ->
                classes.add(List.of(name, String.format(Locale.ROOT, "%,d", count), percent(count, all))));
        people().print(classes);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("source", said.path());
        answer.put("images", all);
        answer.put("classes", counts);
        answer(answer);
        return ExitCode.FINE;
    }

    private static String percent(long part, long whole) {
        return String.format(Locale.ROOT, "%.1f%%", 100.0 * part / whole);
    }

    /** Whole numbers as they are, others with so many digits; an exponent only where zeros would fill the line. */
    private static String number(double value, int digits) {
        double size = Math.abs(value);
        if (value == Math.rint(value) && size < MOST_WRITTEN_OUT) {
            return String.format(Locale.ROOT, "%,d", (long) value);
        }
        if (!(size >= LEAST_WRITTEN_OUT && size < MOST_WRITTEN_OUT)) {
            return String.format(Locale.ROOT, "%." + digits + "g", value);
        }
        BigDecimal rounded =
                new BigDecimal(value).round(new MathContext(digits)).stripTrailingZeros();
        return String.format(Locale.ROOT, "%,." + Math.max(0, rounded.scale()) + "f", rounded);
    }

    private static String values(ColumnProfile column) {
        if (column.present() == 0) {
            return "none";
        }
        if (column.type() == ColumnType.NUMBER || column.type() == ColumnType.INTEGER) {
            return number(column.least(), 6) + " to " + number(column.greatest(), 6) + ", mean "
                    + number(column.mean(), 5) + ", deviation " + number(column.deviation(), 5);
        }
        if (column.type() == ColumnType.TIME) {
            return Instant.ofEpochSecond((long) column.least()) + " to "
                    + Instant.ofEpochSecond((long) column.greatest());
        }
        String most = column.frequent().entrySet().stream()
                .limit(4)
                .map(entry -> shortened(entry.getKey()) + " " + percent(entry.getValue(), column.rows()))
                .collect(Collectors.joining(", "));
        return most + (column.different() > 4 ? ", ..." : "");
    }

    private static String shortened(String text) {
        String line = text.replaceAll("\\s+", " ");
        return line.length() <= WIDEST ? line : line.substring(0, WIDEST - 1) + "…";
    }

    private Map<String, Object> answer(TableProfile profile) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("source", said.path());
        answer.put("rows", profile.rows());
        List<Map<String, Object>> columns = new ArrayList<>();
        for (ColumnProfile column : profile.columns()) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("name", column.name());
            fields.put("type", column.type());
            fields.put("missing", column.missing());
            fields.put("different", column.different());
            if (!Double.isNaN(column.mean())) {
                fields.put("least", column.least());
                fields.put("greatest", column.greatest());
                fields.put("mean", column.mean());
                fields.put("deviation", column.deviation());
            }
            fields.put("buckets", column.buckets());
            fields.put("frequent", column.frequent());
            columns.add(fields);
        }
        answer.put("columns", columns);
        answer.put("sample", profile.sample());
        return answer;
    }
}
