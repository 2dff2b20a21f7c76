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
    /** The loss of a batch; {@code output} and {@code target} have the batch as first axis. */
    public abstract Tensor compute(Tensor output, Tensor target);

    /** The loss of a model with any number of outputs. */
    public Tensor compute(List<Tensor> outputs, List<Tensor> targets) {
        requireCounts(outputs.size(), targets.size());
        return compute(outputs.get(0), targets.get(0));
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
        if (targets != 1) {
            throw new TargetException(kind() + " expects one target for each sample, received " + targets);
        }
    }

    @Override
    public String toString() {
        return kind();
    }
}
