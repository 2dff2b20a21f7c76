package dev.tutti.train.checkpoint;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tutti.io.AtomicFile;
import dev.tutti.io.TensorFile;
import dev.tutti.json.Json;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The table of contents of weights in several files, in the form that other programs write beside safetensors too.
 *
 * @param weights the file of each tensor, by the name that it has there; a slice has its rows in its name
 */
record WeightIndex(
        Metadata metadata, @JsonProperty("weight_map") Map<String, String> weights) {
    /**
     * What readers of other programs pass over.
     *
     * @param bytes of all files together
     */
    record Metadata(@JsonProperty("total_size") long bytes, List<SlicedTensors.Part> parts) {}

    /** @param table where the index will be, beside its parts */
    static WeightIndex of(Path table, List<SlicedTensors.Part> parts) {
        Map<String, String> weights = new LinkedHashMap<>();
        for (SlicedTensors.Part part : parts) {
            for (String name :
                    TensorFile.open(table.resolveSibling(part.file())).names()) {
                weights.put(name, part.file());
            }
        }
        long bytes = parts.stream().mapToLong(SlicedTensors.Part::bytes).sum();
        return new WeightIndex(new Metadata(bytes, parts), weights);
    }

    static WeightIndex read(Path table) {
        return Json.read(table, WeightIndex.class);
    }

    void write(Path table) {
        AtomicFile.write(table, Json.write(this));
    }
}
