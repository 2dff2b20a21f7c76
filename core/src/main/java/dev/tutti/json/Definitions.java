package dev.tutti.json;

import java.util.Map;

/**
 * The names of definitions, by which files, and workers in other JVMs, know a class. Every package with definitions has one; names are
 * given nowhere else but by {@link Json#register}.
 *
 * <p>{@link java.util.ServiceLoader} finds implementations when the first file is read: list the class in {@code
 * META-INF/services/dev.tutti.json.Definitions} on the class path, and every JVM with that class path knows the names.
 *
 * <pre>{@code
 * public final class OwnDefinitions implements Definitions {
 *     public Map<Class<?>, String> named() {
 *         return Map.of(Scale.class, "scale");
 *     }
 * }
 * }</pre>
 */
public interface Definitions {
    /** The name of each class. */
    Map<Class<?>, String> named();
}
