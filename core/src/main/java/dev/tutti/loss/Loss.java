package dev.tutti.loss;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.json.ShortForm;
import dev.tutti.tensor.NdArray;
import dev.tutti.tensor.Shape;
import dev.tutti.tensor.Tensor;
import java.util.List;

/** How far outputs are from what they should be: the mean over the batch, as a tensor of one number. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeResolver(ShortForm.class)
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
@JsonSubTypes({@JsonSubTypes.Type(value = SoftmaxCrossEntropy.class, name = "softmaxCrossEntropy")})
public abstract class Loss implements Cloneable {
    /** The loss of a batch; {@code output} and {@code target} have the batch as first axis. */
    public abstract Tensor compute(Tensor output, Tensor target);

    /** The loss of a model with several outputs. */
    public Tensor compute(List<Tensor> outputs, List<Tensor> targets) {
        return compute(outputs.get(0), targets.get(0));
    }

    /**
     * Checks the targets of a batch before they reach the engine.
     *
     * @param outputs what the model gives for one sample
     * @throws dev.tutti.TuttiException when a target cannot belong to such outputs, for instance a class that does not exist
     */
    public void check(List<NdArray> targets, List<Shape> outputs) {}
}
