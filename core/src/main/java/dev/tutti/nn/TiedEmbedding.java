package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Tensor;
import java.util.List;

/**
 * A language model whose first and last layer share one matrix: tokens are embedded by it, go through the inner layers, and are scored
 * by it. {@code [time]} becomes {@code [time, vocabulary]}.
 */
public final class TiedEmbedding extends FluentLayer<TiedEmbedding> {
    private int vocabulary;
    private int width;
    private Layer body;

    private TiedEmbedding() {}

    TiedEmbedding(int vocabulary, int width, Layer body) {
        this.vocabulary = vocabulary;
        this.width = width;
        this.body = body;
    }

    @Override
    protected Shape build(Shape input, BuildContext build) {
        build.require(
                vocabulary > 0 && width > 0 && body != null,
                "needs a vocabulary and a width of at least 1 and inner layers, received " + vocabulary + " and "
                        + width);
        build.child("embedding", new Embedding(vocabulary, width).init(Initializer.SMALL_NORMAL), input);
        Shape out = build.child("body", body, input.append(width));
        build.require(
                out.rank() == 2 && out.dim(1) == width,
                "needs inner layers that give [time, " + width + "], received " + out);
        return input.append(vocabulary);
    }

    @Override
    protected Tensor forward(Tensor ids, ForwardContext pass) {
        Tensor seen = pass.child("body", pass.child("embedding", ids));
        return Functions.linear(pass.factor(seen), pass.factor(pass.childParameter("embedding", "weight")), null);
    }

    @Override
    protected boolean isOutputFresh() {
        return true;
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        String seen = s.child("body", s.child("embedding", in.get(0)));
        return s.let("torch.linear(" + seen + ", " + s.self("embedding.weight") + ", None)");
    }
}
