package dev.tutti.nn;

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
public final class TransformerEncoder extends FluentLayer<TransformerEncoder> {
    /** The engine has these for its blocked layout, in which the two dense layers are faster. */
    private static final Set<Activation> BLOCKED = EnumSet.of(Activation.NONE, Activation.RELU, Activation.GELU);

    private int heads = 1;
    private int inner;
    private Activation innerActivation = Activation.GELU;
    private double dropout;
    private boolean postNorm;
    private boolean causal;

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

    /** While training, forgets attention weights, inner units and both sums' additions by this chance. */
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

    @Override
    protected Shape build(Shape input, BuildContext build) {
        Dropout.check(dropout, build);
        if (input.rank() != 2 || input.dim(1) == Shape.ANY) {
            throw build.expected("[time, width]", input);
        }
        build.require(inner >= 0, "needs an inner width of at least 1, received " + inner);
        int width = Math.toIntExact(input.dim(1));
        build.require(
                heads > 0 && width % heads == 0, "has " + heads + " heads, which must divide its width of " + width);
        Attention attention = new Attention(heads).dropout(dropout);
        build.child("self_attn", causal ? attention.causal() : attention, input);
        Shape wide =
                build.child("linear1", new Dense(inner == 0 ? 4 * width : inner).activation(innerActivation), input);
        build.child("linear2", new Dense(width), wide);
        build.child("norm1", new LayerNorm(), input);
        build.child("norm2", new LayerNorm(), input);
        return input;
    }

    @Override
    protected Tensor forward(Tensor x, ForwardContext pass) {
        if (postNorm) {
            Tensor seen = pass.child("norm1", x.add(attend(x, pass)));
            return pass.child("norm2", addThought(seen, same -> same, pass));
        }
        Tensor seen = x.add(attend(pass.child("norm1", x), pass));
        return addThought(seen, each -> pass.child("norm2", each), pass);
    }

    private Tensor attend(Tensor x, ForwardContext pass) {
        return forget(pass.child("self_attn", x), pass);
    }

    /** What was seen, and what the two dense layers make of it. */
    private Tensor addThought(Tensor seen, UnaryOperator<Tensor> norm, ForwardContext pass) {
        boolean forgets = dropout > 0 && pass.training();
        if (!forgets && pass.canCut("linear1")) {
            return pass.cutResidual(seen, rows -> {
                Tensor wide = pass.dense("linear1", norm.apply(rows), innerActivation);
                return pass.dense("linear2", wide, Activation.NONE);
            });
        }
        return seen.add(think(norm.apply(seen), forgets, pass));
    }

    private Tensor think(Tensor x, boolean forgets, ForwardContext pass) {
        if (pass.optimised() && !forgets && BLOCKED.contains(innerActivation) && x.canBeBlocked()) {
            return pass.child("linear2", pass.child("linear1", x.toBlocked())).fromBlocked();
        }
        return forget(pass.child("linear2", forget(pass.child("linear1", x), pass)), pass);
    }

    private Tensor forget(Tensor x, ForwardContext pass) {
        return pass.training() ? Functions.dropout(x, dropout, pass.randomness()) : x;
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        String x = in.get(0);
        String attended = forget(s.child("self_attn", postNorm ? x : s.child("norm1", x)), s);
        String seen = s.let(x + " + " + attended);
        seen = postNorm ? s.child("norm1", seen) : seen;
        String inside = forget(s.child("linear1", postNorm ? seen : s.child("norm2", seen)), s);
        String out = s.let(seen + " + " + forget(s.child("linear2", inside), s));
        return postNorm ? s.child("norm2", out) : out;
    }

    private String forget(String x, ScriptWriter s) {
        return dropout == 0 ? x : s.let("torch.dropout(" + x + ", " + dropout + ", self.training)");
    }
}
