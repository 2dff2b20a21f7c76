package dev.tutti.train.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tutti.json.ConfigException;
import dev.tutti.json.Json;

/** Puts one value into a tree: keys that are missing on the way are made, a short form such as {@code adam} is opened up. */
final class SettingOverride {
    private final String[] keys;
    private final String said;

    SettingOverride(String path, String said) {
        this.said = said;
        keys = path.split("\\.", -1);
        for (String key : keys) {
            if (key.isBlank()) {
                throw new ConfigException(
                        said + ": expected keys with single dots between them, such as optimizer.type");
            }
        }
    }

    JsonNode in(JsonNode tree, String value) {
        return changed(tree.deepCopy(), 0, parsed(value));
    }

    private JsonNode parsed(String value) {
        try {
            JsonNode node = Json.yaml().readTree(value);
            return node.isMissingNode() ? Json.yaml().nullNode() : node;
        } catch (JsonProcessingException e) {
            throw new ConfigException(said + ": the value is not YAML: " + e.getOriginalMessage(), e);
        }
    }

    private JsonNode changed(JsonNode node, int depth, JsonNode value) {
        if (depth == keys.length) {
            return value;
        }
        String key = keys[depth];
        if (node instanceof ArrayNode list) {
            int index = index(list, key);
            list.set(index, changed(list.get(index), depth + 1, value));
            return list;
        }
        ObjectNode object =
                node instanceof ObjectNode already ? already : Json.yaml().createObjectNode();
        if (node != null && node.isTextual()) {
            object.set("type", node);
        }
        object.set(key, changed(object.get(key), depth + 1, value));
        return object;
    }

    private int index(ArrayNode list, String key) {
        try {
            int index = Integer.parseInt(key);
            if (index >= 0 && index < list.size()) {
                return index;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new ConfigException(
                said + ": expected a place in the list, 0 to " + (list.size() - 1) + ", received '" + key + "'");
    }
}
