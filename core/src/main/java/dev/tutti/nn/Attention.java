package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.ParameterLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Multi-head attention over {@code [time, width]}, of any length.
 *
 * <p>With one input it attends to itself; with two, the first asks and the second is keys and values; with three, they are
 * query, keys and values. All have the same width. Parameters have PyTorch's names ({@code in_proj_weight} and so on).
 */
public final class Attention extends MergeLayer<Attention> {
    private int heads = 1;
    private boolean causal;
    private double dropout;
    private boolean bias = true;

    private Attention() {}

    Attention(int heads) {
        this.heads = heads;
    }

    /** No step sees a later one. */
    public Attention causal() {
        return copy(c -> c.causal = true);
    }

    /** While training, forgets each attention weight by this chance. */
    public Attention dropout(double rate) {
        return copy(c -> c.dropout = rate);
    }

    public Attention noBias() {
        return copy(c -> c.bias = false);
    }

    @Override
    protected Shape build(List<Shape> inputs, BuildContext build) {
        Dropout.check(dropout, build);
        build.require(
                !inputs.isEmpty() && inputs.size() <= 3, "takes one, two or three inputs, received " + inputs.size());
        Shape query = inputs.get(0);
        for (Shape input : inputs) {
            if (input.rank() != 2 || input.dim(1) == Shape.ANY) {
                throw build.expected("[time, width]", input);
            }
            build.require(
                    input.dim(1) == query.dim(1),
                    "needs the same width for query, keys and values, but receives "
                            + inputs + " from " + String.join(" and ", build.sources()) + ": put a dense("
                            + query.dim(1)
                            + ") before the other");
        }
        build.require(
                inputs.size() < 3 || inputs.get(1).matches(inputs.get(2)),
                "needs as many keys as values, but receives " + inputs.get(inputs.size() - 1) + " for "
                        + inputs.get(inputs.size() / 2));
        long width = query.dim(1);
        build.require(
                heads > 0 && width % heads == 0, "has " + heads + " heads, which must divide its width of " + width);
        build.parameter("in_proj_weight", Shape.of(3 * width, width), Initializer.GLOROT);
        build.parameter("out_proj.weight", Shape.of(width, width), Initializer.FAN_IN);
        if (bias) {
            build.parameter(
                    "in_proj_bias", Shape.of(3 * width), Initializer.ZEROS, width, width, ParameterLayout.PLAIN);
            build.parameter("out_proj.bias", Shape.of(width), Initializer.ZEROS, width, width, ParameterLayout.PLAIN);
        }
        return query;
    }

    @Override
    protected Tensor forward(List<Tensor> inputs, ForwardContext pass) {
        List<Tensor> qkv = project(inputs, pass);
        Tensor out = dropout > 0 && pass.training()
                ? Functions.attention(qkv.get(0), qkv.get(1), qkv.get(2), causal, dropout, pass.randomness())
                : Functions.attention(qkv.get(0), qkv.get(1), qkv.get(2), causal);
        return Functions.linear(
                out.transpose(1, 2).flatten(2),
                pass.parameter("out_proj.weight"),
                bias ? pass.parameter("out_proj.bias") : null);
    }

    /** Query, keys and values as {@code [batch, heads, time, width of a head]}; what has one source is one product. */
    private List<Tensor> project(List<Tensor> inputs, ForwardContext pass) {
        Tensor weight = pass.parameter("in_proj_weight");
        Tensor offset = bias ? pass.parameter("in_proj_bias") : null;
        List<Tensor> qkv = new ArrayList<>(3);
        for (Tensor x : inputs) {
            int parts = parts(inputs.size(), qkv.size());
            Functions.linear(x, rows(weight, qkv.size(), parts), rows(offset, qkv.size(), parts))
                    .unflatten(-1, parts, heads, -1)
                    .unbind(2)
                    .forEach(part -> qkv.add(part.transpose(1, 2)));
        }
        return qkv;
    }

    /** How many of query, keys and values the next input supplies, given how many were supplied before. */
    private static int parts(int inputs, int there) {
        return inputs == 1 ? 3 : inputs == 2 && there == 1 ? 2 : 1;
    }

    /** The rows of the joint weight or bias that belong to some of its three parts. */
    private static Tensor rows(Tensor joint, int first, int parts) {
        if (joint == null || parts == 3) {
            return joint;
        }
        long width = joint.dim(0) / 3;
        return joint.narrow(0, first * width, parts * width);
    }

    @Override
    protected String script(List<String> inputs, ScriptWriter s) {
        List<String> qkv = new ArrayList<>(3);
        for (String x : inputs) {
            int parts = parts(inputs.size(), qkv.size());
            String weight = rows(s.self("in_proj_weight"), qkv.size(), parts);
            String offset = bias ? rows(s.self("in_proj_bias"), qkv.size(), parts) : "None";
            String projected = s.let("torch.linear(" + x + ", " + weight + ", " + offset + ").unflatten(-1, [" + parts
                    + ", " + heads + ", -1]).permute([2, 0, 3, 1, 4])");
            for (int i = 0; i < parts; i++) {
                qkv.add(projected + "[" + i + "]");
            }
        }
        String out = s.let("torch.scaled_dot_product_attention(" + String.join(", ", qkv) + ", None, " + dropout
                + " if self.training else 0.0, " + (causal ? "True" : "False") + ")");
        return s.let("torch.linear(" + out + ".transpose(1, 2).flatten(2), " + s.self("out_proj.weight") + ", "
                + (bias ? s.self("out_proj.bias") : "None") + ")");
    }

    private static String rows(String joint, int first, int parts) {
        String width = joint + ".size(0) // 3";
        return parts == 3
                ? joint
                : joint + ".narrow(0, " + first + " * (" + width + "), " + parts + " * (" + width + "))";
    }
}
