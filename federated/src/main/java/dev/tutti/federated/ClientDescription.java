package dev.tutti.federated;

import java.util.Map;

/**
 * What a client has said about itself.
 *
 * @param id its identity
 * @param labels words to choose by, such as {@code site: hospital}
 * @param resources numbers to choose by, such as {@code cores: 4}
 */
public record ClientDescription(String id, Map<String, String> labels, Map<String, Double> resources) {
    public ClientDescription {
        labels = labels == null ? Map.of() : Map.copyOf(labels);
        resources = resources == null ? Map.of() : Map.copyOf(resources);
    }

    public static ClientDescription of(String id) {
        return new ClientDescription(id, Map.of(), Map.of());
    }
}
