package dev.tutti.jobs.predict;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.data.Dataset;
import dev.tutti.json.Json;
import dev.tutti.nn.ComputePrecision;
import dev.tutti.train.checkpoint.SavedWeights;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What is predicted; parts that were computed for another one are not mixed with it.
 *
 * @param model the absolute path of a saved model
 * @param modelState changes when the model is replaced
 * @param data the definition of the data
 * @param dataState tells other data under the same definition apart
 * @param partRows rows of one part
 * @param format of the lines
 * @param precision what the model multiplies in
 */
record PredictionSpec(
        String model,
        String modelState,
        JsonNode data,
        String dataState,
        int partRows,
        PredictionFormat format,
        ComputePrecision precision) {
    PredictionSpec {
        precision = precision == null ? ComputePrecision.FLOAT32 : precision; // of an earlier version
    }

    static PredictionSpec of(
            Path model, Dataset data, int partRows, PredictionFormat format, ComputePrecision precision) {
        Path folder = model.toAbsolutePath().normalize();
        return new PredictionSpec(
                folder.toString(),
                state(SavedWeights.witness(folder)),
                Json.read(Json.write(data), JsonNode.class, "data"),
                data.source().fingerprint(),
                partRows,
                format,
                precision);
    }

    private static String state(Path file) {
        try {
            return Files.size(file) + " bytes of " + Files.getLastModifiedTime(file);
        } catch (IOException e) {
            return "none"; // loading it says what is wrong
        }
    }

    Dataset dataset() {
        return Json.read(data.toString(), Dataset.class, "data");
    }
}
