package dev.tutti.serve.protocol;

import dev.tutti.array.NdArray;
import dev.tutti.serve.model.ModelVersion;
import java.util.List;

/** What a version answered: an array for each output, with as many rows as were asked about. */
record InferenceAnswer(ModelVersion version, List<NdArray> outputs) {
    int rows() {
        return Math.toIntExact(outputs.get(0).shape().dim(0));
    }
}
