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

import dev.tutti.nn.Activation;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Sequential;
import dev.tutti.train.TrainingConfig;
import java.util.ArrayList;
import java.util.List;

/**
 * The models that are raced with; the same as those of {@code bench/peers/engine_torch.py}: float32, Adam 1e-3, softmax cross
 * entropy on class ids.
 *
 * @param batch samples of a step on one core
 */
public record EngineModel(Layer definition, Input input, int batch) {
    public static final int CLASSES = 10;
    static final int VOCABULARY = 128;
    public static final TrainingConfig RECIPE = new TrainingConfig(adam(1e-3), softmaxCrossEntropy(), List.of(), 0, 7);

    public static EngineModel mlp() {
        return new EngineModel(mlp(1024), Input.of(784), 256);
    }

    public static EngineModel cnn() {
        return new EngineModel(
                Sequential.of(
                        conv2d(32, 3).same().relu(),
                        maxPool2d(2),
                        conv2d(64, 3).same().relu(),
                        maxPool2d(2),
                        flatten(),
                        dense(128).relu(),
                        dense(CLASSES)),
                Input.of(1, 28, 28),
                128);
    }

    static EngineModel recurrent() {
        return new EngineModel(Sequential.of(lstm(256), dense(CLASSES)), Input.of(64, 64), 64);
    }

    static EngineModel transformer() {
        return new EngineModel(
                Sequential.of(
                        embedding(VOCABULARY, 128),
                        transformerEncoder(4).inner(512).innerActivation(Activation.RELU),
                        transformerEncoder(4).inner(512).innerActivation(Activation.RELU),
                        permute(1, 0),
                        globalAvgPool1d(),
                        dense(CLASSES)),
                Input.ids(64),
                32);
    }

    /** Sixteen equal layers, to be cut into stages. */
    public static EngineModel deep() {
        List<Layer> layers = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            layers.add(dense(512).relu());
        }
        layers.add(dense(CLASSES));
        return new EngineModel(Sequential.of(layers), Input.of(512), 1024);
    }

    /** Few layers with many units, to be cut into slices. */
    public static EngineModel wide() {
        return new EngineModel(
                Sequential.of(
                        dense(4096).relu(), dense(1024).relu(), dense(4096).relu(), dense(CLASSES)),
                Input.of(1024),
                256);
    }

    /** Blocks of a transformer over sequences of vectors. */
    public static EngineModel blocks() {
        List<Layer> layers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            layers.add(transformerEncoder(4).inner(512).innerActivation(Activation.RELU));
        }
        layers.add(permute(1, 0));
        layers.add(globalAvgPool1d());
        layers.add(dense(CLASSES));
        return new EngineModel(Sequential.of(layers), Input.of(32, 128), 128);
    }

    static EngineModel tiny() {
        return new EngineModel(mlp(64), Input.of(32), 32);
    }

    private static Layer mlp(int hidden) {
        return Sequential.of(dense(hidden).relu(), dense(hidden).relu(), dense(CLASSES));
    }
}
