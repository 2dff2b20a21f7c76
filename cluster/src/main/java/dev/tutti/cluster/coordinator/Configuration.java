package dev.tutti.cluster.coordinator;

import java.util.Map;

/**
 * Settings of a job that can be read and changed while it runs: learning rates, limits, whatever its members agree on.
 *
 * @param version rises with every change
 */
public record Configuration(long version, Map<String, String> values) {
    public Configuration {
        values = Map.copyOf(values);
    }
}
