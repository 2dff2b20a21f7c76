package dev.tutti.keras;

import dev.tutti.json.Definitions;
import java.util.Map;

/** The name that weights of rows have in files, so that members of other processes can read them. */
public final class KerasDefinitions implements Definitions {
    @Override
    public Map<Class<?>, String> named() {
        return Map.of(RowWeights.class, "rowWeights");
    }
}
