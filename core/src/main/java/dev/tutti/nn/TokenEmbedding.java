package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Tensor;
import java.util.List;

/**
 * Embeds tokens as BERT does: the vector of the token, of its position and of its type are added and normalised. {@code [time]} becomes
 * {@code [time, width]}. All tokens have the first type, unless a second input gives their types.
 */
public final class TokenEmbedding extends MergeLayer<TokenEmbedding> {
    private int vocabulary;
    private int width;
    private int maxLength = 512;
    private int types;
    private double epsilon = 1e-12;
    private double dropout;

    private TokenEmbedding() {}

    TokenEmbedding(int vocabulary, int width) {
        this.vocabulary = vocabulary;
        this.width = width;
    }

    /** The longest sequence there will be; 512 unless given. */
    public TokenEmbedding maxLength(int steps) {
        return copy(c -> c.maxLength = steps);
    }

    /** How many types of tokens there are, such as those of a first and a second sentence; none unless given. */
    public TokenEmbedding types(int count) {
        return copy(c -> c.types = count);
    }

    /** What is added to the variance, so that nothing is divided by zero. */
    public TokenEmbedding epsilon(double value) {
        return copy(c -> c.epsilon = value);
    }

    /** While training, forgets each number by this chance. */
    public TokenEmbedding dropout(double rate) {
        return copy(c -> c.dropout = rate);
    }

    @Override
    protected Shape build(List<Shape> inputs, BuildContext build) {
        Dropout.check(dropout, build);
        build.require(
                vocabulary > 0 && width > 0 && maxLength > 0 && types >= 0,
                "needs a vocabulary, a width and a maxLength of at least 1, received " + vocabulary + ", " + width
                        + " and " + maxLength);
        build.require(
                inputs.size() == 1 || inputs.size() == 2 && types > 0,
                "takes ids, and where it has types the types of the tokens, received " + inputs.size() + " inputs");
        Shape input = inputs.get(0);
        if (input.rank() != 1 || input.dim(0) > maxLength) {
            throw build.expected("[time] of at most " + maxLength + " steps", input);
        }
        build.child("word", new Embedding(vocabulary, width).init(Initializer.SMALL_NORMAL), input);
        build.child("position", new PositionalEncoding().learned().maxLength(maxLength), input.append(width));
        if (types > 0) {
            build.child("type", new Embedding(types, width).init(Initializer.SMALL_NORMAL), input);
        }
        build.child("norm", new LayerNorm().epsilon(epsilon), input.append(width));
        return input.append(width);
    }

    @Override
    protected Tensor forward(List<Tensor> inputs, ForwardContext pass) {
        Tensor ids = inputs.get(0);
        Tensor sum = pass.child("position", pass.child("word", ids));
        if (types > 0) {
            Tensor type = inputs.size() == 2 ? inputs.get(1) : Tensor.zeros(ids.shape(), ids.type(), ids.device());
            sum = sum.add(pass.child("type", type));
        }
        Tensor normed = pass.child("norm", sum);
        return pass.training() ? Functions.dropout(normed, dropout, pass.randomness()) : normed;
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        String sum = s.child("position", s.child("word", in.get(0)));
        if (types > 0) {
            String type = in.size() == 2 ? in.get(1) : s.let("torch.zeros_like(" + in.get(0) + ")");
            sum = s.let(sum + " + " + s.child("type", type));
        }
        String normed = s.child("norm", sum);
        return dropout == 0 ? normed : s.let("torch.dropout(" + normed + ", " + dropout + ", self.training)");
    }
}
