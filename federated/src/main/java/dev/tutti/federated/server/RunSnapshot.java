package dev.tutti.federated.server;

import dev.tutti.array.NdArray;
import dev.tutti.io.Safetensors;
import dev.tutti.json.Json;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The state of a run between two rounds: one safetensors file with a checksum.
 *
 * @param vectors the model and what the aggregation remembers
 */
record RunSnapshot(Map<String, float[]> vectors, Facts facts) {
    /**
     * What is not a vector.
     *
     * @param round the round to come
     * @param privateRounds rounds whose privacy is spent
     * @param clip the bound of updates, where it adapts
     */
    record Facts(String job, int round, List<RoundResult> results, int privateRounds, double clip) {}

    private static final String FACTS = "tutti.federated";

    void write(Path file) {
        Map<String, NdArray> arrays = new LinkedHashMap<>();
        vectors.forEach((name, vector) -> arrays.put(name, NdArray.of(vector, vector.length)));
        new Safetensors(arrays, Map.of(FACTS, Json.write(facts))).writeWithChecksum(file);
    }

    static RunSnapshot read(Path file) {
        Safetensors saved = Safetensors.readVerified(file);
        Map<String, float[]> vectors = new LinkedHashMap<>();
        saved.tensors().forEach((name, array) -> vectors.put(name, array.floats()));
        return new RunSnapshot(
                vectors, Json.read(saved.metadata().getOrDefault(FACTS, "{}"), Facts.class, file.toString()));
    }
}
