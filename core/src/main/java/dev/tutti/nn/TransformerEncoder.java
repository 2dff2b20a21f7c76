package dev.tutti.nn;

import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Tensor;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * One block of a transformer over {@code [time, width]}: attention, then two dense layers, each added to what goes past it.
 *
 * <p>It normalises before each part, which trains without warm-up; {@link #postNorm()} normalises after each sum as the first
 * transformers did. Inner layers have PyTorch's names ({@code self_attn}, {@code linear1}, {@code norm1}, ...).
 */
public final class TransformerEncoder extends MergeLayer<TransformerEncoder> {
    /** The engine has these for its blocked layout, in which the two dense layers are faster. */
    private static final Set<Activation> BLOCKED = EnumSet.of(Activation.NONE, Activation.RELU, Activation.GELU);

    private int heads = 1;
    private int inner;
    private Activation innerActivation = Activation.GELU;
    private double dropout;
    private boolean postNorm;
    private boolean causal;
    private double epsilon = 1e-5;
    private LowRankAdapter lora;
    private transient Range ownHeads; // null: all
    private transient Range ownInner;

    private TransformerEncoder() {}

    TransformerEncoder(int heads) {
        this.heads = heads;
    }

    /** The width between the two dense layers; four times that of the input unless given. */
    public TransformerEncoder inner(int width) {
        return copy(c -> c.inner = width);
    }

    /** The function between the two dense layers; {@link Activation#GELU} unless given. */
    public TransformerEncoder innerActivation(Activation function) {
        return copy(c -> c.innerActivation = function);
    }

    /** While training, drops attention weights, inner units and both sums' additions by this chance. */
    public TransformerEncoder dropout(double rate) {
        return copy(c -> c.dropout = rate);
    }

    /** Normalises after each sum, not before each part. */
    public TransformerEncoder postNorm() {
        return copy(c -> c.postNorm = true);
    }

    /** No step sees a later one, as in language models. */
    public TransformerEncoder causal() {
        return copy(c -> c.causal = true);
    }

    /** What the norms add to the variance, so that nothing is divided by zero. */
    public TransformerEncoder epsilon(double value) {
        return copy(c -> c.epsilon = value);
    }

    /** The block with adapters on its attention and both dense layers; freeze everything else. */
    public TransformerEncoder lora(LowRankAdapter adapter) {
        return copy(c -> c.lora = adapter);
    }

    int heads() {
        return heads;
    }

    Attention attention() {
        Attention attention = new Attention(heads).dropout(dropout).lora(lora);
        return causal ? attention.causal() : attention;
    }

    /** A member's slice: some heads, and some of what is between the two dense layers. */
    TransformerEncoder sliced(Range someHeads, Range someInner) {
        return copy(c -> {
            c.ownHeads = someHeads;
            c.ownInner = someInner;
        });
    }

    @Override
    protected Shape build(List<Shape> inputs, BuildContext build) {
        Dropout.check(dropout, build);
        build.require(
                inputs.size() == 1 || inputs.size() == 2,
                "takes one input, or one and a mask, received " + inputs.size());
        Shape input = inputs.get(0);
        if (input.rank() != 2 || input.dim(1) == Shape.ANY) {
            throw build.expected("[time, width]", input);
        }
        build.require(inner >= 0, "needs an inner width of at least 1, received " + inner);
        int width = Math.toIntExact(input.dim(1));
        build.require(
                heads > 0 && width % heads == 0, "has " + heads + " heads, which must divide its width of " + width);
        Dense first = new Dense(innerWidth(width)).lora(lora);
        Dense second = new Dense(width).lora(lora);
        if (ownHeads == null) {
            Attention attention = inputs.size() == 2 ? attention().masked() : attention();
            build.child("self_attn", attention, inputs.toArray(Shape[]::new));
            Shape wide = build.child("linear1", first.activation(innerActivation), input);
            build.child("linear2", second, wide);
        } else {
            build.require(
                    lora == null && inputs.size() == 1,
                    "is cut among members, which is not possible with adapters (lora) or a mask as second input");
            build.child("self_attn", new SplitAttention(attention(), ownHeads, width), input);
            Layer columns = new SplitDense(first, true, true, ownInner, innerWidth(width), width);
            Shape wide = build.child("linear1", columns.activation(innerActivation), input);
            build.child("linear2", new SplitDense(second, false, true, ownInner, width, innerWidth(width)), wide);
        }
        build.child("norm1", new LayerNorm().epsilon(epsilon), input);
        build.child("norm2", new LayerNorm().epsilon(epsilon), input);
        return input;
    }

    private int innerWidth(int width) {
        return inner == 0 ? 4 * width : inner;
    }

    @Override
    protected Tensor forward(List<Tensor> inputs, ForwardContext pass) {
        Tensor x = inputs.get(0);
        if (postNorm) {
            Tensor seen = pass.child("norm1", x.add(attend(x, inputs, pass)));
            return pass.child("norm2", addFeedForward(seen, same -> same, pass));
        }
        Tensor seen = x.add(attend(pass.child("norm1", x), inputs, pass));
        return addFeedForward(seen, each -> pass.child("norm2", each), pass);
    }

    private Tensor attend(Tensor x, List<Tensor> inputs, ForwardContext pass) {
        return dropout(
                inputs.size() == 1 ? pass.child("self_attn", x) : pass.child("self_attn", x, inputs.get(1)), pass);
    }

    /** What was seen, and what the two dense layers make of it. */
    private Tensor addFeedForward(Tensor seen, UnaryOperator<Tensor> norm, ForwardContext pass) {
        boolean drops = dropout > 0 && pass.training();
        if (ownHeads != null) {
            return seen.add(slicedFeedForward(norm.apply(seen), pass));
        }
        if (!drops && pass.canCut("linear1")) {
            return pass.cutResidual(seen, rows -> {
                Tensor wide = pass.dense("linear1", norm.apply(rows), innerActivation);
                return pass.dense("linear2", wide, Activation.NONE);
            });
        }
        return seen.add(feedForward(norm.apply(seen), drops, pass));
    }

    private Tensor slicedFeedForward(Tensor x, ForwardContext pass) {
        Tensor wide = pass.child("linear1", x);
        int width = Math.toIntExact(x.dim(-1));
        Tensor kept = pass.training() ? SplitDropout.apply(wide, dropout, ownInner, innerWidth(width), pass) : wide;
        return dropout(pass.child("linear2", kept), pass);
    }

    private Tensor feedForward(Tensor x, boolean drops, ForwardContext pass) {
        if (pass.optimised()
                && !pass.multipliesShort()
                && lora == null
                && !drops
                && BLOCKED.contains(innerActivation)
                && x.canBeBlocked()) {
            return pass.child("linear2", pass.child("linear1", x.toBlocked())).fromBlocked();
        }
        return dropout(pass.child("linear2", dropout(pass.child("linear1", x), pass)), pass);
    }

    private Tensor dropout(Tensor x, ForwardContext pass) {
        return pass.training() ? Functions.dropout(x, dropout, pass.randomness()) : x;
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        String x = in.get(0);
        String asked = postNorm ? x : s.child("norm1", x);
        String attended =
                dropout(in.size() == 1 ? s.child("self_attn", asked) : s.child("self_attn", asked, in.get(1)), s);
        String seen = s.let(x + " + " + attended);
        seen = postNorm ? s.child("norm1", seen) : seen;
        String inside = dropout(s.child("linear1", postNorm ? seen : s.child("norm2", seen)), s);
        String out = s.let(seen + " + " + dropout(s.child("linear2", inside), s));
        return postNorm ? s.child("norm2", out) : out;
    }

    private String dropout(String x, ScriptWriter s) {
        return dropout == 0 ? x : s.let("torch.dropout(" + x + ", " + dropout + ", self.training)");
    }
}
