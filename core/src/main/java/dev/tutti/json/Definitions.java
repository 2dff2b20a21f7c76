package dev.tutti.json;

import java.util.Map;

/**
 * The names that the definitions of a package have in files. Every package with definitions has one, listed in {@code
 * META-INF/services} of its module and found by {@link java.util.ServiceLoader} when the first file is read. There is no other place
 * where names are given, but for {@link Json#register}.
 */
public interface Definitions {
    Map<Class<?>, String> named();
}
