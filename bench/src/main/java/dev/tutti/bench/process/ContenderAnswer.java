package dev.tutti.bench.process;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.json.Json;
import java.util.Map;
import java.util.TreeMap;

/** A JSON object that a contender printed, reduced to its numbers; inner ones are called {@code outer.inner}. */
record ContenderAnswer(Map<String, Double> numbers) {
    /** Reads the object; an {@code error} inside it becomes an exception, as does text that is no such object. */
    static ContenderAnswer of(String text, String name) {
        JsonNode tree;
        try {
            tree = Json.json().readTree(text);
        } catch (JsonProcessingException e) {
            throw new ContenderException(
                    name + " was expected to answer with one JSON object, but answered: " + excerpt(text), e);
        }
        if (tree == null || !tree.isObject()) {
            throw new ContenderException(
                    name + " was expected to answer with one JSON object, but answered: " + excerpt(text));
        }
        if (tree.has("error")) {
            throw new ContenderException(name + " failed: " + tree.get("error").asText());
        }
        Map<String, Double> numbers = new TreeMap<>();
        collect("", tree, numbers);
        return new ContenderAnswer(numbers);
    }

    private static void collect(String prefix, JsonNode object, Map<String, Double> into) {
        object.properties().forEach(field -> {
            if (field.getValue().isNumber()) {
                into.put(prefix + field.getKey(), field.getValue().doubleValue());
            } else if (field.getValue().isObject()) {
                collect(prefix + field.getKey() + ".", field.getValue(), into);
            }
        });
    }

    private static String excerpt(String text) {
        String line = text.strip().lines().findFirst().orElse("nothing");
        return line.length() > 200 ? line.substring(0, 200) + " ..." : line;
    }
}
