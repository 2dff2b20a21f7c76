package dev.tutti.loss;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.TuttiException;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.json.Definition;
import dev.tutti.json.ShortForm;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.Locale;

/**
 * The definition of how far outputs are from what they should be: the mean over the batch, as a tensor of one number.
 *
 * <p>A loss of your own extends this class and gives {@link #compute(Tensor, Tensor)}; {@code Json.register} gives it
 * its name in files.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeResolver(ShortForm.class)
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public abstract class Loss extends Definition {
    private boolean weighted;

    /**
     * Multiplies the loss of each sample by a weight, which the data gives as a second target of shape [batch]. The mean is over the
     * samples, not over the weights, so that it does not depend on how samples are put into batches.
     */
    public Loss weighted() {
        return copy((Loss c) -> c.weighted = true);
    }

    final boolean isWeighted() {
        return weighted;
    }

    /** The loss of a batch; {@code output} and {@code target} have the batch as first axis. */
    public abstract Tensor compute(Tensor output, Tensor target);

    /** The loss of a model with any number of outputs, or of samples with weights. */
    public Tensor compute(List<Tensor> outputs, List<Tensor> targets) {
        requireCounts(outputs.size(), targets.size());
        if (!weighted) {
            return compute(outputs.get(0), targets.get(0));
        }
        return weighted(outputs.get(0), targets.get(0), targets.get(1));
    }

    /** The mean over the samples of the loss of each times its weight. */
    final Tensor weighted(Tensor output, Tensor target, Tensor weights) {
        Tensor each = ofEach(output, target);
        return each.mul(weights.type() == each.type() ? weights : weights.to(each.type()))
                .mean();
    }

    /**
     * The loss of each sample, [batch]; only needed where samples have weights.
     *
     * @throws TargetException if this loss does not tell samples apart
     */
    protected Tensor ofEach(Tensor output, Tensor target) {
        throw new TargetException(kind() + " has no loss for single samples, so they cannot be weighted");
    }

    /**
     * Checks the target of a batch against what the model gives, before it reaches the engine.
     *
     * @param output what the model gives for one sample, without the batch
     * @throws TargetException when they cannot belong together
     */
    public void check(NdArray target, Shape output) {}

    /**
     * Checks the targets of a batch before they reach the engine.
     *
     * @param outputs what the model gives for one sample, without the batch
     * @throws TargetException when a target cannot belong to such outputs, for instance a class that does not exist
     */
    public void check(List<NdArray> targets, List<Shape> outputs) {
        requireCounts(outputs.size(), targets.size());
        check(targets.get(0), outputs.get(0));
        if (weighted) {
            checkWeights(targets.get(0), targets.get(1));
        }
    }

    final void checkWeights(NdArray target, NdArray weights) {
        if (!weights.type().isFloating()
                || !weights.shape().equals(target.shape().first(1))) {
            throw new TargetException(
                    kind() + ": the weights of samples are the second target: expected floating numbers"
                            + " of shape " + target.shape().first(1) + ", received " + weights.type() + " of shape "
                            + weights.shape());
        }
        for (int row = 0; row < weights.size(); row++) {
            if (!(weights.at(row) >= 0) || Double.isInfinite(weights.at(row))) {
                throw new TargetException(kind() + ": the weight in row " + row + " of the batch is " + weights.at(row)
                        + ": expected a number of 0 or more");
            }
        }
    }

    /**
     * Checks the settings; those of a definition that was read from a file have not been checked before.
     *
     * @throws TuttiException when one is out of its bounds
     */
    @Override
    public void validate() {}

    /** The kind of loss, as in files and messages: {@code huber}. */
    public String kind() {
        String simple = getClass().getSimpleName();
        return simple.substring(0, 1).toLowerCase(Locale.ROOT) + simple.substring(1);
    }

    private void requireCounts(int outputs, int targets) {
        if (outputs != 1) {
            throw new TargetException(kind() + " is the loss of one output, but the model has " + outputs
                    + ": give each its own with perOutput(...)");
        }
        if (weighted && targets != 2) {
            throw new TargetException(
                    kind() + " is weighted: it expects a target and a weight for each sample, received " + targets
                            + (targets == 1 ? " target without a weight" : " targets"));
        }
        if (!weighted && targets != 1) {
            throw new TargetException(kind() + " expects one target for each sample, received " + targets
                    + (targets == 2 ? " (a loss that is 'weighted' takes the second as the weight)" : ""));
        }
    }

    @Override
    public String toString() {
        return kind();
    }
}
