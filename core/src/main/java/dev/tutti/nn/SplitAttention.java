package dev.tutti.nn;

import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.ParameterLayout;
import java.util.ArrayList;
import java.util.List;

/** Some of the heads of an {@link Attention}: their queries, keys and values, and the columns of the last product that take them. */
final class SplitAttention extends MergeLayer<SplitAttention> {
    private static final List<String> PARTS = List.of("q", "k", "v");

    private final transient Attention whole;
    private final transient Range heads;
    private final transient long width;

    /** @param heads which of the whole layer's */
    SplitAttention(Attention whole, Range heads, long width) {
        this.whole = whole;
        this.heads = heads;
        this.width = width;
    }

    @Override
    public String kind() {
        return whole.kind();
    }

    boolean isStepwise() {
        return whole.isStepwise();
    }

    private long headWidth() {
        return width / whole.heads();
    }

    private long own() {
        return heads.length() * headWidth();
    }

    /** The slices by the names that they have here; each of query, keys and values has rows of its own in the joint parameters. */
    static void addSlices(String path, Attention whole, Range heads, long width, java.util.Map<String, Slice> held) {
        long each = width / whole.heads();
        for (int part = 0; part < PARTS.size(); part++) {
            Range rows = new Range(part * width + heads.from() * each, heads.length() * each);
            String name = path + "in_proj_weight";
            held.put(name + "." + PARTS.get(part), new Slice(name, Shape.of(3 * width, width), 0, rows));
            if (whole.hasBias()) {
                String bias = path + "in_proj_bias";
                held.put(bias + "." + PARTS.get(part), new Slice(bias, Shape.of(3 * width), 0, rows));
            }
        }
        String out = path + "out_proj.weight";
        held.put(out, new Slice(out, Shape.of(width, width), 1, new Range(heads.from() * each, heads.length() * each)));
    }

    @Override
    protected Shape build(List<Shape> inputs, BuildContext build) {
        for (String part : PARTS) {
            build.parameter("in_proj_weight." + part, Shape.of(own(), width), Initializer.ZEROS);
        }
        build.parameter("out_proj.weight", Shape.of(width, own()), Initializer.ZEROS);
        if (whole.hasBias()) {
            for (String part : PARTS) {
                build.parameter(
                        "in_proj_bias." + part,
                        Shape.of(own()),
                        Initializer.ZEROS,
                        width,
                        width,
                        ParameterLayout.PLAIN);
            }
            build.parameter("out_proj.bias", Shape.of(width), Initializer.ZEROS, width, width, ParameterLayout.PLAIN);
        }
        build.sums(inputs.get(0), null);
        inputs.forEach(input -> build.sums(null, input));
        return inputs.get(0);
    }

    @Override
    protected Tensor forward(List<Tensor> inputs, ForwardContext pass) {
        List<Tensor> shared = inputs.stream().map(pass::sharedBySlices).toList();
        List<Tensor> qkv = new ArrayList<>(PARTS.size());
        for (int part = 0; part < PARTS.size(); part++) {
            Tensor x = shared.get(Math.min(part, shared.size() - 1));
            String name = PARTS.get(part);
            Tensor bias = whole.hasBias() ? pass.parameter("in_proj_bias." + name) : null;
            qkv.add(Functions.linear(x, pass.parameter("in_proj_weight." + name), bias)
                    .unflatten(-1, heads.length(), headWidth())
                    .transpose(1, 2));
        }
        Tensor out = whole.attend(qkv.get(0), qkv.get(1), qkv.get(2), pass);
        Tensor sum = pass.sumOfSlices(
                Functions.linear(out.transpose(1, 2).flatten(2), pass.parameter("out_proj.weight"), null));
        return whole.hasBias() ? sum.add(pass.parameter("out_proj.bias")) : sum;
    }
}
