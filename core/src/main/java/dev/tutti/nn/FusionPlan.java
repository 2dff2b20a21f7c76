package dev.tutti.nn;

import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A faster way through a chain of layers that comes to the same result.
 *
 * <ul>
 *   <li>An activation that never falls may come after the max pool instead of before it: the greatest value stays the
 *       greatest, and there are four times fewer of them.
 *   <li>A chain of convolutions and max pools is computed in oneDNN's blocked layouts, entered and left once.
 *   <li>Such chains and large dense layers that all of the model's data flows through write their gradients straight into
 *       the vector.
 * </ul>
 *
 * Its plain twin is the chain as written; {@link Model.Options#asWritten()} chooses that.
 */
record FusionPlan(List<Step> steps) {
    /** One layer: what is applied behind it, and whether the blocked layout begins before or ends after it. */
    record Step(String name, Layer layer, Activation activation, boolean enter, boolean leave) {}

    static FusionPlan of(List<Layer> layers, List<String> names) {
        List<Activation> activations = delayed(layers);
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < layers.size(); i++) {
            boolean here = blocked(layers, activations, i);
            boolean before = here && blocked(layers, activations, i - 1);
            boolean after = here && blocked(layers, activations, i + 1);
            // A single layer is not worth the change of layout.
            steps.add(new Step(
                    names.get(i),
                    layers.get(i),
                    activations.get(i),
                    here && !before && after,
                    here && before && !after));
        }
        return new FusionPlan(steps);
    }

    /** The activation behind each layer, after those before a max pool have changed places with it. */
    private static List<Activation> delayed(List<Layer> layers) {
        List<Activation> activations =
                new ArrayList<>(layers.stream().map(Layer::activation).toList());
        for (int i = 0; i + 1 < layers.size(); i++) {
            boolean pool = layers.get(i + 1) instanceof MaxPool2d || layers.get(i + 1) instanceof MaxPool1d;
            if (pool && activations.get(i).neverFalls() && activations.get(i + 1) == Activation.NONE) {
                activations.set(i + 1, activations.get(i));
                activations.set(i, Activation.NONE);
            }
        }
        return activations;
    }

    /** Whether the engine has the layer and what follows it for blocked tensors. */
    private static boolean blocked(List<Layer> layers, List<Activation> activations, int i) {
        if (i < 0 || i >= layers.size()) {
            return false;
        }
        Activation activation = activations.get(i);
        return (layers.get(i) instanceof Conv2d || layers.get(i) instanceof MaxPool2d)
                && (activation == Activation.NONE || activation == Activation.RELU);
    }

    Tensor forward(Tensor input, ForwardContext pass) {
        boolean cutting = input.rank() == 4 && (input.canBeBlocked() || pass.multipliesShort());
        boolean blocking = cutting && !pass.multipliesShort(); // the engine has blocked layouts for float32 alone
        Tensor x = input;
        int next = 0;
        while (next < steps.size()) {
            Step step = steps.get(next);
            List<Step> chain = cutting && step.enter ? chainFrom(next) : List.of(step);
            Optional<Tensor> cut = chain.size() > 1 ? pass.cutChain(chain, x) : Optional.empty();
            if (cut.isPresent()) {
                x = cut.get();
            } else if (blocking && chain.size() > 1) {
                x = blocked(chain, x, pass);
            } else {
                for (Step each : chain) {
                    x = forward(each, x, pass);
                }
            }
            next += chain.size();
        }
        return x;
    }

    private List<Step> chainFrom(int first) {
        int last = first;
        while (!steps.get(last).leave) {
            last++;
        }
        return steps.subList(first, last + 1);
    }

    /** A chain as the engine computes it. */
    private static Tensor blocked(List<Step> chain, Tensor input, ForwardContext pass) {
        Tensor x = input.toBlocked();
        for (Step step : chain) {
            x = forward(step, x, pass);
        }
        return x.fromBlocked();
    }

    private static Tensor forward(Step step, Tensor x, ForwardContext pass) {
        return step.layer instanceof Dense
                ? pass.dense(step.name, x, step.activation)
                : pass.childOnTheLine(step.name, x, step.activation);
    }
}
