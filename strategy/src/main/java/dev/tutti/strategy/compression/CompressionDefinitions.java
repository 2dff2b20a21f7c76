package dev.tutti.strategy.compression;

import dev.tutti.json.Definitions;
import java.util.Map;

/** The names that compressions have in files. */
public final class CompressionDefinitions implements Definitions {
    @Override
    public Map<Class<?>, String> named() {
        return Map.ofEntries(
                Map.entry(Fp16Compression.class, "fp16"),
                Map.entry(Bf16Compression.class, "bf16"),
                Map.entry(TopKCompression.class, "topK"),
                Map.entry(PowerSgdCompression.class, "powerSgd"));
    }
}
