package dev.tutti.loss;

import dev.tutti.TuttiException;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * The weighted sum of one loss for each output of a model, each with the target at the same place. Where it is {@link #weighted()},
 * one more target holds the weights of samples, which count for all outputs.
 */
public final class PerOutput extends Loss {
    private List<Loss> losses = List.of();
    private List<Double> weights = List.of();

    private PerOutput() {}

    PerOutput(List<Loss> losses) {
        this.losses = List.copyOf(losses);
        validate();
    }

    /** How much each output counts; 1 unless told otherwise. */
    public PerOutput weights(double... newWeights) {
        return copy(c -> c.weights = DoubleStream.of(newWeights).boxed().toList());
    }

    @Override
    public void validate() {
        if (losses.isEmpty()) {
            throw new TuttiException("perOutput: expected a loss for each output, received none");
        }
        if (!weights.isEmpty() && weights.size() != losses.size()) {
            throw new TuttiException(
                    "perOutput: " + weights.size() + " weights were given for " + losses.size() + " losses");
        }
        if (weights.stream().anyMatch(weight -> weight == null || !(weight >= 0) || Double.isInfinite(weight))) {
            throw new TuttiException("perOutput: weights must not be negative, received " + weights);
        }
        if (losses.stream().anyMatch(Loss::isWeighted)) {
            throw new TuttiException(
                    "perOutput: samples have one weight for all outputs: expected 'weighted' of perOutput"
                            + " itself, not of a single loss");
        }
        losses.forEach(Loss::validate);
    }

    @Override
    public Tensor compute(Tensor output, Tensor target) {
        return compute(List.of(output), List.of(target));
    }

    @Override
    public Tensor compute(List<Tensor> outputs, List<Tensor> targets) {
        requireCounts(outputs.size(), targets.size());
        Tensor total = null;
        for (int i = 0; i < losses.size(); i++) {
            Tensor loss = isWeighted()
                    ? losses.get(i).weighted(outputs.get(i), targets.get(i), targets.get(losses.size()))
                    : losses.get(i).compute(outputs.get(i), targets.get(i));
            Tensor weighted = weights.isEmpty() ? loss : loss.mul(weights.get(i));
            total = total == null ? weighted : total.add(weighted);
        }
        return total;
    }

    @Override
    public void check(NdArray target, Shape output) {
        check(List.of(target), List.of(output));
    }

    @Override
    public void check(List<NdArray> targets, List<Shape> outputs) {
        requireCounts(outputs.size(), targets.size());
        for (int i = 0; i < losses.size(); i++) {
            try {
                losses.get(i).check(targets.get(i), outputs.get(i));
            } catch (TargetException e) {
                throw new TargetException("output " + (i + 1) + ": " + e.getMessage());
            }
        }
        if (isWeighted()) {
            checkWeights(targets.get(0), targets.get(losses.size()));
        }
    }

    private void requireCounts(int outputs, int targets) {
        int expected = losses.size() + (isWeighted() ? 1 : 0);
        if (outputs != losses.size() || targets != expected) {
            throw new TargetException("perOutput: " + losses.size() + " losses were given"
                    + (isWeighted() ? " and weights of samples, which are the last target" : "")
                    + ", but the model has " + outputs + " outputs and the data " + targets + " targets");
        }
    }
}
