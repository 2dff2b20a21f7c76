package dev.tutti.nn;

import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Tensor;
import java.util.List;

/** Some ids of an {@link Embedding}: those of other members come as zeros, and the sum is what the whole would look up. */
final class SplitEmbedding extends FluentLayer<SplitEmbedding> {
    private final transient Embedding whole;
    private final transient Range ids;

    SplitEmbedding(Embedding whole, Range ids) {
        this.whole = whole;
        this.ids = ids;
    }

    @Override
    public String kind() {
        return whole.kind();
    }

    @Override
    protected Shape build(Shape input, BuildContext build) {
        build.parameter("weight", Shape.of(ids.length(), whole.width()), Initializer.ZEROS);
        Shape output = input.append(whole.width());
        build.sums(output, null);
        return output;
    }

    @Override
    protected Tensor forward(Tensor x, ForwardContext pass) {
        Tensor weight = pass.parameter("weight");
        Tensor none = Tensor.zeros(Shape.of(1, whole.width()), weight.type());
        Tensor table = Tensor.concat(List.of(none, weight), 0); // what is not held here is in row 0
        NdArray array = x.toArray();
        long[] rows = new long[array.size()];
        for (int i = 0; i < rows.length; i++) {
            long id = array.longAt(i);
            if (id < 0 || id >= whole.vocabulary()) {
                throw new ShapeException("layer " + pass.path() + " received the id " + id + ", but its vocabulary is "
                        + whole.vocabulary() + ": ids go from 0 to " + (whole.vocabulary() - 1));
            }
            boolean here = id >= ids.from() && id < ids.to() && !whole.isPadding(id);
            rows[i] = here ? id - ids.from() + 1 : 0;
        }
        Tensor places = Tensor.of(rows, x.shape().toArray());
        return pass.sumOfSlices(Functions.embedding(places, table, -1));
    }
}
