package dev.tutti.examples;

import dev.tutti.json.Definitions;
import java.util.Map;

/** The names that data of the examples has when it is told to other processes. */
public final class ExampleDefinitions implements Definitions {
    @Override
    public Map<Class<?>, String> named() {
        return Map.of(RatingSource.class, "ratings", ClickSource.class, "clicks");
    }
}
