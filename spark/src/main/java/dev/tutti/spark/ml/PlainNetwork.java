package dev.tutti.spark.ml;

import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.flatten;

import dev.tutti.nn.Layer;
import dev.tutti.nn.Sequential;
import java.util.ArrayList;
import java.util.List;

/** Dense layers with rectifiers between them. */
final class PlainNetwork {
    private PlainNetwork() {}

    static Layer of(int outputs, int... hidden) {
        List<Layer> layers = new ArrayList<>();
        layers.add(flatten());
        for (int size : hidden) {
            layers.add(dense(size).relu());
        }
        layers.add(dense(outputs));
        return Sequential.of(layers.toArray(Layer[]::new));
    }
}
