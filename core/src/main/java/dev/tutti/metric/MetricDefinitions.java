package dev.tutti.metric;

import dev.tutti.json.Definitions;
import java.util.Map;

/** The names that metrics have in files. */
public final class MetricDefinitions implements Definitions {
    @Override
    public Map<Class<?>, String> named() {
        return Map.ofEntries(
                Map.entry(Accuracy.class, "accuracy"),
                Map.entry(TopK.class, "topK"),
                Map.entry(Auc.class, "auc"),
                Map.entry(Precision.class, "precision"),
                Map.entry(Recall.class, "recall"),
                Map.entry(F1.class, "f1"),
                Map.entry(ConfusionMatrix.class, "confusionMatrix"),
                Map.entry(Mae.class, "mae"),
                Map.entry(Rmse.class, "rmse"),
                Map.entry(R2.class, "r2"));
    }
}
