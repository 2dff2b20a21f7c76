package dev.tutti.nn;

import dev.tutti.array.DType;
import dev.tutti.tensor.onednn.ConvChain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The convolution chains of one sequence of layers, each made when first asked for. */
final class ConvChains implements AutoCloseable {
    private final DType type;
    private final Map<String, ConvChain> byFirst = new HashMap<>();

    /** @param type what values and weights are multiplied in */
    ConvChains(DType type) {
        this.type = type;
    }

    /** @param passes of the chain's layers, by name */
    ConvChain of(List<FusionPlan.Step> steps, Map<String, ForwardContext> passes) {
        return byFirst.computeIfAbsent(steps.get(0).name(), first -> new ConvChain(layers(steps, passes), type));
    }

    private static List<ConvChain.Layer> layers(List<FusionPlan.Step> steps, Map<String, ForwardContext> passes) {
        List<ConvChain.Layer> layers = new ArrayList<>();
        for (FusionPlan.Step step : steps) {
            layers.add(
                    step.layer() instanceof Conv2d convolution
                            ? convolution.inStretch(passes.get(step.name()))
                            : ((MaxPool2d) step.layer()).inStretch());
            if (step.activation() == Activation.RELU) {
                layers.add(new ConvChain.Rectifier());
            }
        }
        return layers;
    }

    @Override
    public void close() {
        byFirst.values().forEach(ConvChain::close);
    }
}
