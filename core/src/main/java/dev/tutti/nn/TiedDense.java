package dev.tutti.nn;

import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Tensor;
import java.util.List;

/**
 * Scores tokens by the matrix that an embedding before it looks them up in: {@code [time, width]} becomes {@code [time, vocabulary]}. It has
 * no parameters of its own. The two layers may be on different stages of a pipeline, which then both hold the matrix and sum its gradients.
 */
public final class TiedDense extends FluentLayer<TiedDense> {
    private String embedding = "";
    private int vocabulary;
    private transient Range rows; // of the matrix that this member holds; null for all

    private TiedDense() {}

    TiedDense(String embedding, int vocabulary) {
        this.embedding = embedding;
        this.vocabulary = vocabulary;
    }

    /** The full name of the embedding. */
    String embedding() {
        return embedding;
    }

    int vocabulary() {
        return vocabulary;
    }

    /** The layer of a member that holds some rows of the matrix. */
    TiedDense sliced(Range held) {
        return copy(c -> c.rows = held);
    }

    @Override
    protected Shape build(Shape input, BuildContext build) {
        build.require(
                vocabulary > 0 && !embedding.isEmpty(),
                "needs the name of an embedding and its vocabulary, received '" + embedding + "' and " + vocabulary);
        long own = rows == null ? vocabulary : rows.length();
        build.shared("weight", embedding + ".weight", Shape.of(own, input.dim(-1)));
        Shape output = input.with(-1, vocabulary);
        if (rows != null) {
            build.sums(output, input);
        }
        return output;
    }

    @Override
    protected Tensor forward(Tensor x, ForwardContext pass) {
        Tensor weight = pass.factor(pass.held("weight"));
        if (rows == null) {
            return Functions.linear(pass.factor(x), weight, null);
        }
        Tensor own = Functions.linear(pass.sharedBySlices(pass.factor(x)), weight, null);
        return SplitDense.gathered(own, own.rank() - 1, rows, vocabulary, pass);
    }

    @Override
    protected boolean isOutputFresh() {
        return true;
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        return s.let("torch.linear(" + in.get(0) + ", " + s.self("weight") + ", None)");
    }
}
