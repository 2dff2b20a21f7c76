package dev.tutti.json;

import java.util.Map;

/**
 * Names for definitions that live in other modules, so that files can speak of them. Found by {@link java.util.ServiceLoader}
 * when the first file is read.
 */
public interface Definitions {
    Map<Class<?>, String> named();
}
