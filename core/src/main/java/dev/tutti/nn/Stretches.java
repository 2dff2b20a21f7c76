package dev.tutti.nn;

import dev.tutti.tensor.Stretch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The stretches of one chain of layers, each made when first asked for. */
final class Stretches implements AutoCloseable {
    private final Map<String, Stretch> byFirst = new HashMap<>();

    /** @param passes of the chain's layers, by name */
    Stretch of(List<Shortcuts.Step> steps, Map<String, Pass> passes) {
        return byFirst.computeIfAbsent(steps.get(0).name(), first -> new Stretch(layers(steps, passes)));
    }

    private static List<Stretch.Layer> layers(List<Shortcuts.Step> steps, Map<String, Pass> passes) {
        List<Stretch.Layer> layers = new ArrayList<>();
        for (Shortcuts.Step step : steps) {
            layers.add(
                    step.layer() instanceof Conv2d convolution
                            ? convolution.inStretch(passes.get(step.name()))
                            : ((MaxPool2d) step.layer()).inStretch());
            if (step.activation() == Activation.RELU) {
                layers.add(new Stretch.Rectifier());
            }
        }
        return layers;
    }

    @Override
    public void close() {
        byFirst.values().forEach(Stretch::close);
    }
}
