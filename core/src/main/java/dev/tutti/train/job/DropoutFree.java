package dev.tutti.train.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.Set;

/** The definition of a model with all dropout at rate 0. */
final class DropoutFree {
    private final JsonNode definition;
    private final Set<String> types = new HashSet<>();
    private int dropouts;

    DropoutFree(JsonNode original) {
        definition = original.deepCopy();
        visit(definition);
    }

    private void visit(JsonNode node) {
        if (node instanceof ObjectNode object) {
            String type = object.path("type").asText();
            types.add(type);
            if (type.equals("dropout")) {
                object.put("rate", 0.0);
                dropouts++;
            } else if (object.path("dropout").asDouble() > 0) {
                object.put("dropout", 0.0);
                dropouts++;
            }
        }
        node.forEach(this::visit);
    }

    JsonNode definition() {
        return definition;
    }

    /** How many layers had any. */
    int dropouts() {
        return dropouts;
    }

    /** Whether there is a layer of this type. */
    boolean has(String type) {
        return types.contains(type);
    }
}
