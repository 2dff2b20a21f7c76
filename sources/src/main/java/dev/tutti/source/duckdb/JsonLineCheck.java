package dev.tutti.source.duckdb;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.tutti.data.DataException;
import dev.tutti.source.table.BadRowLog;
import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.Schema;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;

/**
 * Finds the lines of JSON files that are no object, or hold a value that does not fit its column. It is used where DuckDB could not
 * read the files, so that the place of each bad line can be said and the others can be read.
 */
final class JsonLineCheck {
    private static final int SHOWN = 80;

    private final ObjectReader json = new JsonMapper()
            .reader()
            .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .forType(JsonNode.class);
    private final Schema wanted;
    private final BadRowLog bad;

    /** @param wanted the columns whose values are checked */
    JsonLineCheck(Schema wanted, BadRowLog bad) {
        this.wanted = wanted;
        this.bad = bad;
    }

    /** Gives the bad lines of files to the log, in their order, and writes the others. */
    void copy(List<Path> files, Writer good) {
        for (Path file : files) {
            long[] number = {0};
            Consumer<String> each = line -> {
                number[0]++;
                if (!line.isBlank() && isGood(line, file + ", line " + number[0])) {
                    write(line, good);
                }
            };
            if (file.toString().toLowerCase(Locale.ROOT).endsWith(".zst")) {
                try (DuckDb database = new DuckDb(file.toString())) {
                    database.lines(file, each); // Java itself cannot unpack zstd
                }
            } else {
                lines(file, each);
            }
        }
    }

    private static void lines(Path file, Consumer<String> each) {
        boolean packed = file.toString().toLowerCase(Locale.ROOT).endsWith(".gz");
        try (InputStream in = Files.newInputStream(file);
                InputStream plain = packed ? new GZIPInputStream(in, 1 << 16) : in;
                BufferedReader lines = new BufferedReader(new InputStreamReader(plain, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                each.accept(line);
            }
        } catch (IOException e) {
            throw new DataException(file + ": cannot be read: " + e.getMessage(), e);
        }
    }

    private static void write(String line, Writer good) {
        try {
            good.write(line);
            good.write('\n');
        } catch (IOException e) {
            throw new DataException("the good lines of JSON cannot be copied: " + e.getMessage(), e);
        }
    }

    private boolean isGood(String line, String place) {
        JsonNode row;
        try {
            row = json.readValue(line);
        } catch (JsonProcessingException e) {
            bad.add(place, "expected a JSON object, received '" + shown(line) + "' (" + at(e) + ")", line);
            return false;
        }
        if (!row.isObject()) {
            bad.add(place, "expected a JSON object, received '" + shown(line) + "'", line);
            return false;
        }
        for (Schema.Column column : wanted.columns()) {
            Optional<JsonNode> value = row.optional(column.name()).filter(node -> !node.isNull());
            if (value.isPresent() && !fits(value.get(), column.type())) {
                String received = value.get().isValueNode()
                        ? value.get().asText()
                        : value.get().toString();
                String reason = "column '" + column.name() + "': expected " + word(column.type()) + ", received '"
                        + shown(received) + "'";
                bad.add(place, reason, line);
                return false;
            }
        }
        return true;
    }

    private static String at(JsonProcessingException e) {
        String said = e.getOriginalMessage().lines().findFirst().orElse("");
        return "column "
                + Math.max(1, e.getLocation() == null ? 1 : e.getLocation().getColumnNr()) + ": " + said;
    }

    private static String shown(String text) {
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
    }

    private static String word(ColumnType type) {
        return switch (type) {
            case NUMBER -> "a number";
            case INTEGER -> "a whole number";
            case BOOLEAN -> "true or false";
            case TIME -> "a date or time";
            case TEXT -> "a text";
        };
    }

    private static boolean fits(JsonNode value, ColumnType type) {
        return switch (type) {
            case NUMBER, INTEGER ->
                value.isNumber() || value.isBoolean() || value.isTextual() && isNumber(value.asText());
            case BOOLEAN ->
                value.isBoolean() || value.isNumber() || value.asText().matches("(?i)true|false|t|f|0|1|yes|no");
            case TIME -> value.isTextual() && isTime(value.asText());
            case TEXT -> true;
        };
    }

    private static boolean isNumber(String text) {
        try {
            return !Double.isNaN(Double.parseDouble(text.strip()));
        } catch (NumberFormatException e) {
            return text.strip().equalsIgnoreCase("nan");
        }
    }

    /** Whether a text has the parts of a date; which order of them is meant is DuckDB's to find out. */
    private static boolean isTime(String text) {
        return text.strip().matches("\\d{1,4}([-/ ])\\d{1,2}\\1\\d{1,4}([ T].*)?");
    }
}
