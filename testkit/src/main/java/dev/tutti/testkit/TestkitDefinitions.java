package dev.tutti.testkit;

import dev.tutti.json.Definitions;
import dev.tutti.testkit.fault.DataFault;
import java.util.Map;

/** The names that what breaks things has in files. */
public final class TestkitDefinitions implements Definitions {
    @Override
    public Map<Class<?>, String> named() {
        return Map.of(DataFault.class, "flaw");
    }
}
