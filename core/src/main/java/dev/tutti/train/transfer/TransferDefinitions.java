package dev.tutti.train.transfer;

import dev.tutti.json.Definitions;
import java.util.Map;

/** The names that what is carried over has in files. */
public final class TransferDefinitions implements Definitions {
    @Override
    public Map<Class<?>, String> named() {
        return Map.of(TaughtSource.class, "taught", DistilledLoss.class, "distilled");
    }
}
