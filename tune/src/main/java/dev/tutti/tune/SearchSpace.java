package dev.tutti.tune;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tutti.json.ConfigException;
import dev.tutti.json.Json;
import dev.tutti.json.Places;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A job with places left open: every object such as {@code {log: [1e-4, 1e-1]}} or {@code {choice: [16, 32]}} in it is a {@link
 * Dimension}. The key {@code tune} holds {@link TuneSettings}.
 */
public final class SearchSpace {
    private final JsonNode tree;
    private final List<Dimension> dimensions;
    private final JsonNode settings;

    private SearchSpace(JsonNode tree, List<Dimension> dimensions, JsonNode settings) {
        this.tree = tree;
        this.dimensions = List.copyOf(dimensions);
        this.settings = settings;
    }

    /**
     * Finds the open places of a job.
     *
     * @param text YAML or JSON
     * @param where names the text in messages
     * @throws ConfigException if a range is none, or nothing is open
     */
    public static SearchSpace of(String text, String where) {
        JsonNode tree;
        try {
            tree = Json.yaml().readTree(text);
        } catch (JsonProcessingException e) {
            throw new ConfigException(where + ": is not YAML: " + e.getOriginalMessage(), e);
        }
        if (!(tree instanceof ObjectNode job)) {
            throw new ConfigException(where + ": expected a job with keys such as data and model");
        }
        JsonNode settings = job.remove("tune");
        List<Dimension> dimensions = new ArrayList<>();
        collect(job, "", "", Places.of(text, where), dimensions);
        if (dimensions.isEmpty()) {
            throw new ConfigException(where
                    + ": nothing is left open to search for: expected a range somewhere in the job, such as"
                    + " learningRate: {log: [1e-4, 1e-1]}, or one of uniform, int, logInt, choice");
        }
        return new SearchSpace(job, dimensions, settings == null ? Json.json().createObjectNode() : settings);
    }

    private static void collect(JsonNode node, String path, String pointer, Places places, List<Dimension> found) {
        if (node instanceof ObjectNode object) {
            Dimension.Scale scale = scale(object);
            if (scale != null) {
                found.add(dimension(path, scale, object.get(scale.key()), places.at(pointer)));
                return;
            }
            for (Map.Entry<String, JsonNode> each : object.properties()) {
                collect(
                        each.getValue(),
                        path.isEmpty() ? each.getKey() : path + "." + each.getKey(),
                        pointer + "/" + each.getKey(),
                        places,
                        found);
            }
        } else if (node instanceof ArrayNode list) {
            for (int i = 0; i < list.size(); i++) {
                collect(list.get(i), path + "." + i, pointer + "/" + i, places, found);
            }
        }
    }

    private static Dimension.Scale scale(ObjectNode object) {
        if (object.size() != 1) {
            return null;
        }
        Iterator<String> keys = object.fieldNames();
        String key = keys.next();
        return Arrays.stream(Dimension.Scale.values())
                .filter(scale -> scale.key().equals(key) && object.get(key).isArray())
                .findFirst()
                .orElse(null);
    }

    private static Dimension dimension(String path, Dimension.Scale scale, JsonNode range, String where) {
        List<JsonNode> values = new ArrayList<>();
        range.forEach(values::add);
        if (scale == Dimension.Scale.CHOICE) {
            if (values.isEmpty()) {
                throw new ConfigException(where + ": choice: expected at least one value, received none");
            }
            return new Dimension(path, scale, 0, values.size(), values);
        }
        boolean whole = scale == Dimension.Scale.INT || scale == Dimension.Scale.LOG_INT;
        boolean log = scale == Dimension.Scale.LOG || scale == Dimension.Scale.LOG_INT;
        List<Double> bounds = values.stream().map(SearchSpace::number).toList();
        if (bounds.size() != 2
                || bounds.stream().anyMatch(value -> value.isNaN() || value.isInfinite())
                || !(bounds.get(0) < bounds.get(1))
                || log && bounds.get(0) <= 0
                || whole && bounds.stream().anyMatch(value -> value != Math.rint(value))) {
            throw new ConfigException(where + ": " + scale.key() + ": expected the least and the greatest "
                    + (whole ? "whole " : "") + "number" + (log ? ", both above 0" : "") + ", such as "
                    + (whole ? "[16, 128]" : "[0.0001, 0.1]") + ", received " + range);
        }
        return new Dimension(path, scale, bounds.get(0), bounds.get(1), List.of());
    }

    /** YAML takes {@code 1e-4} for a text, since there is no dot in it. */
    private static double number(JsonNode node) {
        try {
            return node.isTextual()
                    ? Double.parseDouble(node.textValue())
                    : node.isNumber() ? node.doubleValue() : Double.NaN;
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    public List<Dimension> dimensions() {
        return dimensions;
    }

    /** What the job says under {@code tune}. */
    public TuneSettings settings() {
        return Json.convert(settings, TuneSettings.class, "tune");
    }

    /** The values at a point, by path. */
    public Map<String, JsonNode> values(double[] point) {
        Map<String, JsonNode> values = new LinkedHashMap<>();
        for (int i = 0; i < dimensions.size(); i++) {
            values.put(dimensions.get(i).path(), dimensions.get(i).at(point[i]));
        }
        return values;
    }

    /** The point at which values lie. */
    public double[] point(Map<String, JsonNode> values) {
        return dimensions.stream()
                .mapToDouble(dimension -> dimension.unitOf(values.get(dimension.path())))
                .toArray();
    }

    /** The job with values in its open places, as a tree. */
    public ObjectNode job(Map<String, JsonNode> values) {
        ObjectNode job = tree.deepCopy();
        values.forEach((path, value) -> put(job, path.split("\\."), 0, value));
        return job;
    }

    private static void put(JsonNode node, String[] keys, int depth, JsonNode value) {
        String key = keys[depth];
        boolean last = depth == keys.length - 1;
        if (node instanceof ArrayNode list) {
            int index = Integer.parseInt(key);
            if (last) {
                list.set(index, value);
            } else {
                put(list.get(index), keys, depth + 1, value);
            }
        } else if (last) {
            ((ObjectNode) node).set(key, value);
        } else {
            put(node.get(key), keys, depth + 1, value);
        }
    }

    /** What a dimension is called in tables: the last key of its path, or all of it where two would be called the same. */
    public String label(Dimension dimension) {
        String last = last(dimension);
        long same = dimensions.stream().filter(each -> last(each).equals(last)).count();
        return same > 1 ? dimension.path() : last;
    }

    private static String last(Dimension dimension) {
        return dimension.path().substring(dimension.path().lastIndexOf('.') + 1);
    }
}
