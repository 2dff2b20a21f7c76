package dev.tutti.comm;

import java.util.Map;
import java.util.TreeMap;

/**
 * Settings of a job that can be read and changed while it runs: the learning rate, and other values that its members agree on.
 *
 * @param version rises with every change
 */
public record Configuration(long version, Map<String, String> values) {
    /** Nothing was set. */
    public static final Configuration NONE = new Configuration(0, Map.of());

    public Configuration {
        values = Map.copyOf(values);
    }

    /** The next version, with one setting changed; null takes it away. */
    public Configuration with(String key, String value) {
        Map<String, String> changed = new TreeMap<>(values);
        if (value == null) {
            changed.remove(key);
        } else {
            changed.put(key, value);
        }
        return new Configuration(version + 1, changed);
    }
}
