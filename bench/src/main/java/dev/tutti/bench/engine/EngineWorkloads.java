package dev.tutti.bench.engine;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.conv2d;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.embedding;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.nn.Layers.globalAvgPool1d;
import static dev.tutti.nn.Layers.lstm;
import static dev.tutti.nn.Layers.maxPool2d;
import static dev.tutti.nn.Layers.permute;
import static dev.tutti.nn.Layers.transformerEncoder;
import static dev.tutti.optim.Optimizers.adam;

import dev.tutti.bench.contender.Workload;
import dev.tutti.nn.Activation;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Sequential;
import dev.tutti.tensor.Engine;
import dev.tutti.train.Recipe;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Our side of the engine benchmark, by name: {@code mlp}, {@code cnn}, {@code lstm}, {@code transformer}, {@code tiny}
 * and {@code feed}.
 *
 * <p>Models, batch sizes and data are those of {@code bench/peers/engine_torch.py}: float32, Adam 1e-3, softmax cross
 * entropy on class ids, eight different random batches in memory taken in turn. {@code feed} takes shuffled batches of
 * 128 from MNIST as training does, and hands them to nobody.
 */
final class EngineWorkloads {
    private static final int CLASSES = 10;
    private static final int VOCABULARY = 128;
    private static final Recipe RECIPE = new Recipe(adam(1e-3), softmaxCrossEntropy(), List.of(), 0, 7);

    private EngineWorkloads() {}

    /** All of them, each built only when it is asked for, with so many compute threads. */
    static Map<String, Supplier<Workload>> all(int threads) {
        Map<String, Supplier<Workload>> all = new LinkedHashMap<>();
        all.put("mlp", () -> training(threads, mlp(1024), Input.of(784), 256));
        all.put("cnn", () -> training(threads, cnn(), Input.of(1, 28, 28), 128));
        all.put("lstm", () -> training(threads, Sequential.of(lstm(256), dense(CLASSES)), Input.of(64, 64), 64));
        all.put("transformer", () -> training(threads, transformer(), Input.ids(64), 32));
        all.put("tiny", () -> training(threads, mlp(64), Input.of(32), 32));
        all.put("feed", FeedWorkload::new);
        return all;
    }

    private static Workload training(int threads, Layer model, Input input, int batch) {
        Engine.useThreads(threads);
        return new TrainingWorkload(model, input, RECIPE, RandomBatches.of(input, VOCABULARY, CLASSES, batch));
    }

    private static Layer mlp(int hidden) {
        return Sequential.of(dense(hidden).relu(), dense(hidden).relu(), dense(CLASSES));
    }

    private static Layer cnn() {
        return Sequential.of(
                conv2d(32, 3).same().relu(),
                maxPool2d(2),
                conv2d(64, 3).same().relu(),
                maxPool2d(2),
                flatten(),
                dense(128).relu(),
                dense(CLASSES));
    }

    private static Layer transformer() {
        return Sequential.of(
                embedding(VOCABULARY, 128),
                transformerEncoder(4).inner(512).innerActivation(Activation.RELU),
                transformerEncoder(4).inner(512).innerActivation(Activation.RELU),
                permute(1, 0),
                globalAvgPool1d(),
                dense(CLASSES));
    }
}
