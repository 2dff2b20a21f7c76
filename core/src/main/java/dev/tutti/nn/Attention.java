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
    /** What is added to the score of a step that is masked: its weight is zero in every type of number. */
    private static final double HIDDEN = 1e9;

    private int heads = 1;
    private boolean causal;
    private double dropout;
    private boolean bias = true;
    private boolean masked;
    private LowRankAdapter lora;
    private boolean rotary;
    private double rotaryBase = RotaryPositions.BASE;
    private int keyHeads; // 0: as many as heads

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

    /** The last input is a mask {@code [time]}: 1 for steps that may be seen, 0 for those that fill a short sequence. */
    public Attention masked() {
        return copy(c -> c.masked = true);
    }

    /** The layer with adapters that learn in place of its weights; freeze the weights. */
    public Attention lora(LowRankAdapter adapter) {
        return copy(c -> c.lora = adapter);
    }

    /** Turns queries and keys by their positions instead of adding positions to the input; heads have an even width. */
    public Attention rotary() {
        return copy(c -> c.rotary = true);
    }

    /** What the angles of {@link #rotary} follow from; 10,000 by default, more for longer sequences. */
    public Attention rotaryBase(double base) {
        return copy(c -> c.rotaryBase = base);
    }

    /** So many heads of keys and values, each of which several heads of queries share; as many as there are queries by default. */
    public Attention keyHeads(int count) {
        return copy(c -> c.keyHeads = count);
    }

    int heads() {
        return heads;
    }

    /** Whether several heads of queries share one of keys and values. */
    boolean sharesKeys() {
        return keyHeads > 0 && keyHeads != heads;
    }

    private int keys() {
        return keyHeads == 0 ? heads : keyHeads;
    }

    boolean hasBias() {
        return bias;
    }

    @Override
    protected Shape build(List<Shape> all, BuildContext build) {
        Dropout.check(dropout, build);
        List<Shape> inputs = masked && !all.isEmpty() ? all.subList(0, all.size() - 1) : all;
        if (masked && (all.size() < 2 || all.get(all.size() - 1).rank() != 1)) {
            throw build.expected("a mask [time] as its last input", all.get(all.size() - 1));
        }
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
        build.require(
                !rotary || width / heads % 2 == 0,
                "turns pairs of elements by position, so heads need an even width, received " + width / heads);
        build.require(
                keyHeads >= 0 && heads % keys() == 0 && (!sharesKeys() || inputs.size() == 1),
                "has " + keyHeads + " heads of keys, which must divide its " + heads
                        + " heads, and fewer of them need a single input");
        build.require(rotaryBase > 0, "needs a base of positions above 0, received " + rotaryBase);
        long joint = width / heads * (heads + 2L * keys());
        build.parameter("in_proj_weight", Shape.of(joint, width), Initializer.GLOROT);
        build.parameter("out_proj.weight", Shape.of(width, width), Initializer.FAN_IN);
        if (bias) {
            build.parameter("in_proj_bias", Shape.of(joint), Initializer.ZEROS, width, width, ParameterLayout.PLAIN);
            build.parameter("out_proj.bias", Shape.of(width), Initializer.ZEROS, width, width, ParameterLayout.PLAIN);
        }
        if (lora != null) {
            lora.build("in_proj_", joint, width, build);
            lora.build("out_proj.", width, width, build);
        }
        return query;
    }

    @Override
    protected Tensor forward(List<Tensor> all, ForwardContext pass) {
        List<Tensor> inputs = masked ? all.subList(0, all.size() - 1) : all;
        List<Tensor> qkv = project(inputs, pass).stream().map(pass::attended).toList();
        Tensor seen = pass.factor((masked
                        ? maskedAttention(qkv, pass.attended(all.get(all.size() - 1)), pass)
                        : attend(qkv.get(0), qkv.get(1), qkv.get(2), pass))
                .transpose(1, 2)
                .flatten(2));
        Tensor out = pass.product(
                "out_proj", seen, pass.parameter("out_proj.weight"), bias ? pass.parameter("out_proj.bias") : null);
        return lora == null
                ? out
                : out.add(lora.forward(
                        seen,
                        pass.parameter("out_proj." + LowRankAdapter.A),
                        pass.parameter("out_proj." + LowRankAdapter.B)));
    }

    private Tensor maskedAttention(List<Tensor> qkv, Tensor mask, ForwardContext pass) {
        Tensor hidden = mask.add(-1).mul(HIDDEN).unsqueeze(1).unsqueeze(1); // [batch, 1, 1, time]
        Tensor scores = causal ? hidden.add(Functions.causalBias(hidden, mask.dim(1))) : hidden;
        Tensor query = rotary ? RotaryPositions.turn(qkv.get(0), rotaryBase) : qkv.get(0);
        Tensor key = rotary ? RotaryPositions.turn(qkv.get(1), rotaryBase) : qkv.get(1);
        return dropout > 0 && pass.training()
                ? Functions.attention(query, key, qkv.get(2), scores, dropout, pass.randomness())
                : Functions.attention(query, key, qkv.get(2), scores);
    }

    /** Whether the steps of a sequence can come one after the other, with what was computed of earlier ones kept. */
    boolean isStepwise() {
        return causal && !masked;
    }

    /** What queries find, each {@code [batch, heads, time, width of a head]}. */
    Tensor attend(Tensor asking, Tensor asked, Tensor value, ForwardContext pass) {
        if (pass.cache() != null) {
            return attendCached(asking, asked, value, pass);
        }
        Tensor query = rotary ? RotaryPositions.turn(asking, rotaryBase) : asking;
        Tensor key = rotary ? RotaryPositions.turn(asked, rotaryBase) : asked;
        return dropout > 0 && pass.training()
                ? Functions.attention(query, key, value, causal, dropout, pass.randomness())
                : Functions.attention(query, key, value, causal);
    }

    /** The queries of some further steps find what all steps so far have left. */
    private Tensor attendCached(Tensor asking, Tensor asked, Tensor value, ForwardContext pass) {
        KeyValueCache cache = pass.cache();
        long before = cache.steps();
        Tensor query = rotary ? RotaryPositions.turn(asking, rotaryBase, before) : asking;
        Tensor key = rotary ? RotaryPositions.turn(asked, rotaryBase, before) : asked;
        List<Tensor> seen = cache.append(pass.path(), key, value);
        long steps = query.dim(2);
        if (before == 0 || steps == 1) {
            return Functions.attention(query, seen.get(0), seen.get(1), steps > 1);
        }
        Tensor later = Functions.causalBias(query, before + steps).narrow(0, before, steps);
        return Functions.attention(query, seen.get(0), seen.get(1), later);
    }

    /** Query, keys and values as {@code [batch, heads, time, width of a head]}; what has one source is one product. */
    private List<Tensor> project(List<Tensor> inputs, ForwardContext pass) {
        Tensor weight = pass.parameter("in_proj_weight");
        Tensor offset = bias ? pass.parameter("in_proj_bias") : null;
        List<Tensor> qkv = new ArrayList<>(3);
        for (Tensor x : inputs) {
            int parts = parts(inputs.size(), qkv.size());
            Tensor projected = pass.product(
                    "in_proj" + qkv.size(), x, rows(weight, qkv.size(), parts), rows(offset, qkv.size(), parts));
            if (lora != null) {
                Tensor b = rows(pass.parameter("in_proj_" + LowRankAdapter.B), qkv.size(), parts);
                projected = projected.add(lora.forward(x, pass.parameter("in_proj_" + LowRankAdapter.A), b));
            }
            if (sharesKeys()) {
                return shared(projected);
            }
            projected.unflatten(-1, parts, heads, -1).unbind(2).forEach(part -> qkv.add(part.transpose(1, 2)));
        }
        return qkv;
    }

    /** The same where keys and values have fewer heads: each is there as often as queries share it. */
    private List<Tensor> shared(Tensor joint) {
        long each = joint.dim(-1) / (heads + 2L * keys());
        List<Tensor> qkv = new ArrayList<>(3);
        qkv.add(joint.narrow(2, 0, heads * each).unflatten(-1, heads, each).transpose(1, 2));
        for (int part = 0; part < 2; part++) {
            Tensor own = joint.narrow(2, (heads + (long) part * keys()) * each, keys() * each)
                    .unflatten(-1, keys(), each)
                    .transpose(1, 2); // [batch, keys, time, width of a head]
            Tensor copies = own.unsqueeze(2)
                    .expand(own.dim(0), keys(), heads / keys(), own.dim(2), each)
                    .reshape(own.dim(0), heads, own.dim(2), each);
            qkv.add(copies);
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
    protected String script(List<String> all, ScriptWriter s) {
        if (rotary || sharesKeys()) {
            throw new UnsupportedLayerException(s.path(), this);
        }
        List<String> inputs = masked ? all.subList(0, all.size() - 1) : all;
        String joint = adapted("in_proj_", "in_proj_weight", s);
        List<String> qkv = new ArrayList<>(3);
        for (String x : inputs) {
            int parts = parts(inputs.size(), qkv.size());
            String weight = rows(joint, qkv.size(), parts);
            String offset = bias ? rows(s.self("in_proj_bias"), qkv.size(), parts) : "None";
            String projected = s.let("torch.linear(" + x + ", " + weight + ", " + offset + ").unflatten(-1, [" + parts
                    + ", " + heads + ", -1]).permute([2, 0, 3, 1, 4])");
            for (int i = 0; i < parts; i++) {
                qkv.add(projected + "[" + i + "]");
            }
        }
        String scores = "None";
        if (masked) {
            String mask = all.get(all.size() - 1);
            scores = s.let("((" + mask + " + -1.0) * " + HIDDEN + ").unsqueeze(1).unsqueeze(1)");
            if (causal) {
                scores = s.let(scores + " + torch.triu(torch.full([" + mask + ".size(1), " + mask + ".size(1)], -"
                        + HIDDEN + "), 1)");
            }
        }
        String out = s.let("torch.scaled_dot_product_attention(" + String.join(", ", qkv) + ", " + scores + ", "
                + dropout + " if self.training else 0.0, " + (causal && !masked ? "True" : "False") + ")");
        return s.let("torch.linear(" + out + ".transpose(1, 2).flatten(2), "
                + adapted("out_proj.", "out_proj.weight", s) + ", " + (bias ? s.self("out_proj.bias") : "None") + ")");
    }

    /** A weight with what its adapter adds. */
    private String adapted(String prefix, String weight, ScriptWriter s) {
        return lora == null
                ? s.self(weight)
                : s.let(lora.script(
                        s.self(weight), s.self(prefix + LowRankAdapter.A), s.self(prefix + LowRankAdapter.B)));
    }

    private static String rows(String joint, int first, int parts) {
        String width = joint + ".size(0) // 3";
        return parts == 3
                ? joint
                : joint + ".narrow(0, " + first + " * (" + width + "), " + parts + " * (" + width + "))";
    }
}
