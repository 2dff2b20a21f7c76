package dev.tutti.loss;

import dev.tutti.json.Definitions;
import java.util.Map;

/** The names that losses have in files. */
public final class LossDefinitions implements Definitions {
    @Override
    public Map<Class<?>, String> named() {
        return Map.ofEntries(
                Map.entry(SoftmaxCrossEntropy.class, "softmaxCrossEntropy"),
                Map.entry(BinaryCrossEntropy.class, "binaryCrossEntropy"),
                Map.entry(MeanSquaredError.class, "mse"),
                Map.entry(MeanAbsoluteError.class, "mae"),
                Map.entry(Huber.class, "huber"),
                Map.entry(PerOutput.class, "perOutput"));
    }
}
