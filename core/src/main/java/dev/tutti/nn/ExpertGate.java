package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What one task makes of experts: their weighted sum, with weights that follow from the input. The first input is what the model sees,
 * {@code [features]}; the others are experts, {@code [experts, width]}; the output is {@code [width]}.
 */
public final class ExpertGate extends MergeLayer<ExpertGate> {
    ExpertGate() {}

    @Override
    protected Shape build(List<Shape> inputs, BuildContext build) {
        build.require(
                inputs.size() >= 2, "takes an input and at least one group of experts, received " + inputs.size());
        Shape first = inputs.get(1);
        long experts = 0;
        for (Shape group : inputs.subList(1, inputs.size())) {
            if (group.rank() != 2 || group.dim(1) != first.dim(1)) {
                throw build.expected("experts [experts, " + (first.rank() == 2 ? first.dim(1) : "width") + "]", group);
            }
            experts += group.dim(0);
        }
        build.child("gate", new Dense(Math.toIntExact(experts)).softmax(), inputs.get(0));
        return first.from(1);
    }

    @Override
    protected Tensor forward(List<Tensor> inputs, ForwardContext pass) {
        Tensor weights = pass.child("gate", inputs.get(0)).unsqueeze(-1);
        List<Tensor> groups = inputs.subList(1, inputs.size());
        Tensor experts = groups.size() == 1 ? groups.get(0) : Tensor.concat(groups, 1);
        return experts.mul(weights).sum(1);
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        String weights = s.let(s.child("gate", in.get(0)) + ".unsqueeze(-1)");
        String experts = in.stream().skip(1).collect(Collectors.joining(", "));
        return s.let("(torch.cat([" + experts + "], 1) * " + weights + ").sum([1])");
    }
}
