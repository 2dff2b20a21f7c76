package dev.tutti.jobs;

import dev.tutti.loss.Losses;
import dev.tutti.metric.Metrics;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layers;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizers;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Path;
import java.util.List;

/** Saved models with drawn parameters. */
public final class SavedSmallModels {
    private SavedSmallModels() {}

    /** An image [1, 28, 28] in, ten classes out. */
    public static Path writeDigits(Path folder) {
        return write(folder, Sequential.of(Layers.flatten(), Layers.dense(10)), Input.of(1, 28, 28));
    }

    /** Two numbers in, two classes out. */
    public static Path writePairs(Path folder) {
        return write(folder, Sequential.of(Layers.dense(2)), Input.of(2));
    }

    private static Path write(Path folder, Sequential definition, Input input) {
        try (Model model = Model.of(definition, input)) {
            SavedModel.write(
                    folder,
                    model,
                    new SavedModel.Features(List.of(), List.of()),
                    null,
                    SavedModel.Made.now(
                            "test",
                            1,
                            new TrainingConfig(
                                    Optimizers.adam(0.1),
                                    Losses.softmaxCrossEntropy(),
                                    List.of(Metrics.accuracy()),
                                    0,
                                    1)));
        }
        return folder;
    }
}
