package dev.tutti.bench.serve;

import dev.tutti.loss.Losses;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layers;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizers;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The networks that are served, the same as in {@code bench/peers/serve_models.py}; a row of both is an image of MNIST. */
enum ServedNetwork {
    MLP("[1, 784]") {
        @Override
        Sequential definition() {
            return Sequential.of(Layers.dense(512).relu(), Layers.dense(512).relu(), Layers.dense(10));
        }

        @Override
        Input input() {
            return Input.of(784);
        }
    },
    CNN("[1, 1, 28, 28]") {
        @Override
        Sequential definition() {
            return Sequential.of(
                    Layers.conv2d(16, 3).relu(),
                    Layers.maxPool2d(2),
                    Layers.conv2d(32, 3).relu(),
                    Layers.maxPool2d(2),
                    Layers.flatten(),
                    Layers.dense(10));
        }

        @Override
        Input input() {
            return Input.of(1, 28, 28);
        }
    };

    static final int PIXELS = 784;

    private final String shape;

    ServedNetwork(String shape) {
        this.shape = shape;
    }

    abstract Sequential definition();

    abstract Input input();

    String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Saves it with drawn parameters under its name. */
    void write(Path repository) {
        try (Model model = Model.of(definition(), input())) {
            SavedModel.write(
                    repository.resolve(key()),
                    model,
                    new SavedModel.Features(List.of(), List.of()),
                    null,
                    SavedModel.Made.now(
                            "drawn",
                            0,
                            new TrainingConfig(Optimizers.sgd(0.1), Losses.softmaxCrossEntropy(), List.of(), 0, 1)));
        }
    }

    /** One row as the Open Inference Protocol has it; all servers are sent the same bytes. */
    String body() {
        StringBuilder text = new StringBuilder(
                "{\"inputs\":[{\"name\":\"input\",\"shape\":" + shape + ",\"datatype\":\"FP32\",\"data\":[");
        for (int i = 0; i < PIXELS; i++) {
            text.append(i == 0 ? "" : ",").append(String.format(Locale.ROOT, "%.4f", i * 37 % 256 / 255.0));
        }
        return text + "]}]}";
    }
}
