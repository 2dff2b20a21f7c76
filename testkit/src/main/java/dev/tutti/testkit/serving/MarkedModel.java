package dev.tutti.testkit.serving;

import dev.tutti.array.NdArray;
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

/** A model of four numbers whose only output is a mark, for every input: the answer tells which version computed it. */
final class MarkedModel {
    private MarkedModel() {}

    static void write(Path folder, long mark) {
        try (Model model = Model.of(Sequential.of(Layers.dense(1)), Input.of(4))) {
            Map<String, NdArray> values = new LinkedHashMap<>();
            model.arrays().forEach((name, array) -> {
                float[] numbers = new float[array.size()];
                if (array.shape().rank() == 1) {
                    numbers[0] = mark;
                }
                values.put(name, NdArray.of(numbers, array.shape().toArray()));
            });
            model.load(values, "the soak");
            SavedModel.write(
                    folder,
                    model,
                    new SavedModel.Features(List.of(), List.of()),
                    null,
                    SavedModel.Made.now(
                            "the soak", 0, new TrainingConfig(Optimizers.sgd(0.1), Losses.mse(), List.of(), 0, 1)));
        }
    }
}
