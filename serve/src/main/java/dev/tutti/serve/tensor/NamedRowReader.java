package dev.tutti.serve.tensor;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tutti.serve.ServeException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads rows with named columns: JSON objects, or CSV with a header. */
public final class NamedRowReader {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Set<String> MISSING = Set.of("", "NA", "?");

    private NamedRowReader() {}

    /** Whether a JSON text holds objects as rows; a list of numbers is no such row. */
    public static boolean isNamed(byte[] body) throws IOException {
        JsonNode all = tree(body);
        JsonNode rows = all.isObject() && all.path("rows").isContainerNode() ? all.path("rows") : all;
        return rows.isObject() || rows.path(0).isObject();
    }

    /**
     * The rows of a list of objects, one object, or an object with either under {@code rows}.
     *
     * @throws ServeException if a row is no object
     */
    public static List<Map<String, Object>> json(byte[] body) throws IOException {
        JsonNode all = tree(body);
        JsonNode rows = all.isObject() && all.path("rows").isContainerNode() ? all.path("rows") : all;
        List<Map<String, Object>> read = new ArrayList<>();
        for (JsonNode row : rows.isObject() ? List.of(rows) : rows) {
            if (!row.isObject()) {
                throw ServeException.invalid("row " + read.size()
                        + ": expected an object with a value for each column, received a " + row.getNodeType());
            }
            Map<String, Object> values = MAPPER.convertValue(row, new TypeReference<>() {});
            read.add(values);
        }
        if (read.isEmpty()) {
            throw ServeException.invalid("a request has one row or more: received none");
        }
        return read;
    }

    private static JsonNode tree(byte[] body) throws IOException {
        try (JsonParser parser = JsonTensorReader.open(body, 0, body.length)) {
            JsonNode all = MAPPER.readTree(parser);
            if (all == null || all.isMissingNode()) {
                throw ServeException.invalid("expected {\"rows\": [...]}, received nothing");
            }
            return all;
        }
    }

    /**
     * The rows of CSV whose first line names the columns; nothing, NA and ? are missing values.
     *
     * @throws ServeException if a line has another number of values than the header, or there is no line behind it
     */
    public static List<Map<String, Object>> csv(String text) {
        List<String> header = List.of();
        List<Map<String, Object>> rows = new ArrayList<>();
        int number = 0;
        for (String line : (Iterable<String>) text.lines()::iterator) {
            number++;
            if (line.isBlank()) {
                continue;
            }
            List<String> cells = cells(line);
            if (header.isEmpty()) {
                header = cells;
                continue;
            }
            if (cells.size() != header.size()) {
                throw ServeException.invalid(
                        "line " + number + ": expected " + header.size() + " values, received " + cells.size());
            }
            Map<String, Object> row = new LinkedHashMap<>();
            for (int i = 0; i < cells.size(); i++) {
                if (!MISSING.contains(cells.get(i))) {
                    row.put(header.get(i), cells.get(i));
                }
            }
            rows.add(row);
        }
        if (rows.isEmpty()) {
            throw ServeException.invalid(
                    "the CSV text holds no rows: expected a line with the names of the columns, then rows");
        }
        return rows;
    }

    /** The values of a line; those in quotes may hold commas, and quotes that are doubled. */
    private static List<String> cells(String line) {
        List<String> cells = new ArrayList<>();
        StringBuilder cell = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '"' && quoted && i + 1 < line.length() && line.charAt(i + 1) == '"') {
                cell.append(c);
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (c == ',' && !quoted) {
                cells.add(cell.toString().strip());
                cell.setLength(0);
            } else {
                cell.append(c);
            }
        }
        cells.add(cell.toString().strip());
        return cells;
    }
}
