package dev.tutti.serve;

import dev.tutti.array.NdArray;
import dev.tutti.data.transform.Transform;
import dev.tutti.loss.Losses;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layers;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizers;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Saved models whose answers can be told by heart. */
public final class SmallModels {
    private SmallModels() {}

    /** Four numbers in, three out: their sum, twice their sum, and the given number, which tells versions apart. */
    public static Path write(Path folder, double mark) {
        return write(folder, mark, List.of());
    }

    public static Path write(Path folder, double mark, List<Transform> features) {
        try (Model model = Model.of(Sequential.of(Layers.dense(3)), Input.of(4))) {
            Map<String, NdArray> values = new LinkedHashMap<>();
            model.arrays().forEach((name, array) -> {
                float[] numbers = new float[array.size()];
                if (array.shape().rank() == 1) {
                    numbers[2] = (float) mark;
                } else {
                    boolean byOutput = array.shape().dim(0) == 3;
                    for (int i = 0; i < 4; i++) {
                        numbers[byOutput ? i : i * 3] = 1;
                        numbers[byOutput ? 4 + i : i * 3 + 1] = 2;
                    }
                }
                values.put(name, NdArray.of(numbers, array.shape().toArray()));
            });
            model.load(values, "test");
            SavedModel.write(
                    folder,
                    model,
                    new SavedModel.Features(features, List.of("low", "high", "mark")),
                    null,
                    SavedModel.Made.now(
                            "test",
                            1,
                            new TrainingConfig(Optimizers.sgd(0.1), Losses.softmaxCrossEntropy(), List.of(), 0, 1)));
        }
        return folder;
    }

    /** An image [1, 28, 28] in, ten classes out, by a small convolutional network with drawn parameters. */
    public static Path writeImages(Path folder) {
        var definition =
                Sequential.of(Layers.conv2d(4, 3).relu(), Layers.maxPool2d(2), Layers.flatten(), Layers.dense(10));
        try (Model model = Model.of(definition, Input.of(1, 28, 28))) {
            SavedModel.write(
                    folder,
                    model,
                    new SavedModel.Features(List.of(), List.of()),
                    null,
                    SavedModel.Made.now(
                            "test",
                            1,
                            new TrainingConfig(Optimizers.sgd(0.1), Losses.softmaxCrossEntropy(), List.of(), 0, 1)));
        }
        return folder;
    }
}
