package dev.tutti.train.job;

import dev.tutti.json.Definitions;
import java.util.Map;

/** The names that callbacks have in files. */
public final class JobDefinitions implements Definitions {
    @Override
    public Map<Class<?>, String> named() {
        return Map.ofEntries(
                Map.entry(JobCallback.EarlyStopping.class, "earlyStopping"),
                Map.entry(JobCallback.BestModel.class, "bestModel"),
                Map.entry(JobCallback.TensorBoardLog.class, "tensorBoard"),
                Map.entry(JobCallback.MlflowLog.class, "mlflow"),
                Map.entry(JobCallback.Unfreezing.class, "unfreezing"),
                Map.entry(JobCallback.Csv.class, "csv"),
                Map.entry(JobCallback.LearningRateLog.class, "learningRateLog"));
    }
}
