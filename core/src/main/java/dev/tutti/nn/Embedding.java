package dev.tutti.nn;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.TensorException;
import java.util.List;

/** A learned vector for each id: {@code [time]} becomes {@code [time, width]}. The input is declared by {@link Input#ids}. */
public final class Embedding extends FluentLayer<Embedding> {
    private int vocabulary;
    private int width;
    private Integer paddingId;
    private Initializer init = Initializer.NORMAL;

    private Embedding() {}

    Embedding(int vocabulary, int width) {
        this.vocabulary = vocabulary;
        this.width = width;
    }

    /** The id that fills short sequences: its vector is zero and stays so. */
    public Embedding paddingId(int id) {
        return copy(c -> c.paddingId = id);
    }

    public Embedding init(Initializer initializer) {
        return copy(c -> c.init = initializer);
    }

    @Override
    protected Shape build(Shape input, BuildContext build) {
        build.require(
                vocabulary > 0 && width > 0,
                "needs a vocabulary and a width of at least 1, received " + vocabulary + " and " + width);
        build.require(
                paddingId == null || (paddingId >= 0 && paddingId < vocabulary),
                "has the padding id " + paddingId + ", which is not within 0 to " + (vocabulary - 1));
        build.parameter("weight", Shape.of(vocabulary, width), init);
        return input.append(width);
    }

    @Override
    protected void initialise(ForwardContext pass) {
        if (paddingId != null) {
            pass.parameter("weight").select(0, paddingId).zero_();
        }
    }

    @Override
    protected Tensor forward(Tensor ids, ForwardContext pass) {
        if (!ids.device().equals(Device.CPU)) {
            check(ids, pass); // a GPU cannot take an id out of range back: it stays broken
        }
        try {
            return Functions.embedding(ids, pass.parameter("weight"), paddingId == null ? -1 : paddingId);
        } catch (TensorException e) {
            check(ids, pass);
            throw e;
        }
    }

    private void check(Tensor ids, ForwardContext pass) {
        if (ids.type() != DType.INT64 && ids.type() != DType.INT32) {
            throw new ShapeException("layer " + pass.path() + " takes ids, but receives " + ids.type()
                    + ": declare the input with Input.ids(...)");
        }
        NdArray array = ids.toArray();
        for (int i = 0; i < array.size(); i++) {
            long id = array.longAt(i);
            if (id < 0 || id >= vocabulary) {
                throw new ShapeException("layer " + pass.path() + " received the id " + id + ", but its vocabulary is "
                        + vocabulary + ": ids go from 0 to " + (vocabulary - 1));
            }
        }
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        return s.let("torch.embedding(" + s.self("weight") + ", " + in.get(0) + ", "
                + (paddingId == null ? -1 : paddingId) + ")");
    }
}
