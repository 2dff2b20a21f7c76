package dev.tutti.nn;

import dev.tutti.tensor.onednn.ConvChain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The stretches of one chain of layers, each made when first asked for. */
final class ConvChains implements AutoCloseable {
    private final Map<String, ConvChain> byFirst = new HashMap<>();

    /** @param passes of the chain's layers, by name */
    ConvChain of(List<FusionPlan.Step> steps, Map<String, ForwardContext> passes) {
        return byFirst.computeIfAbsent(steps.get(0).name(), first -> new ConvChain(layers(steps, passes)));
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
