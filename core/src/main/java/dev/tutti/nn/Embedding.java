package dev.tutti.nn;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.table.IdHash;
import dev.tutti.table.RowIndex;
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
    private boolean table;
    private long hashed;

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

    /**
     * Keeps the vectors in a table: those are made that are used, and only those that a batch uses are read and changed. With a vocabulary
     * of 0 any id has a vector. Parameter servers keep tables; without them they are in the memory of the process that trains.
     */
    public Embedding table() {
        return copy(c -> c.table = true);
    }

    /** A table whose ids are any numbers, brought to so many by a hash. */
    public Embedding hashed(long buckets) {
        return copy(c -> {
            c.table = true;
            c.hashed = buckets;
        });
    }

    int vocabulary() {
        return vocabulary;
    }

    int width() {
        return width;
    }

    boolean isPadding(long id) {
        return paddingId != null && paddingId == id;
    }

    @Override
    protected Shape build(Shape input, BuildContext build) {
        if (table || hashed > 0) {
            return buildTable(input, build);
        }
        build.require(
                vocabulary > 0 && width > 0,
                "needs a vocabulary and a width of at least 1, received " + vocabulary + " and " + width);
        build.require(
                paddingId == null || (paddingId >= 0 && paddingId < vocabulary),
                "has the padding id " + paddingId + ", which is not within 0 to " + (vocabulary - 1));
        build.parameter("weight", Shape.of(vocabulary, width), init);
        return input.append(width);
    }

    private Shape buildTable(Shape input, BuildContext build) {
        build.require(
                vocabulary >= 0 && width > 0 && hashed >= 0,
                "needs a width of at least 1, and a vocabulary and a number of hashed ids of 0 or more, received "
                        + width + ", " + vocabulary + " and " + hashed);
        build.table(width, init.firstRows(width, build));
        return input.append(width);
    }

    @Override
    protected void initialise(ForwardContext pass) {
        if (paddingId != null && !table && hashed == 0) {
            pass.parameter("weight").select(0, paddingId).zero_();
        }
    }

    @Override
    protected Tensor forward(Tensor ids, ForwardContext pass) {
        if (table || hashed > 0) {
            return lookUp(ids, pass);
        }
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

    private Tensor lookUp(Tensor ids, ForwardContext pass) {
        if (vocabulary > 0 && hashed == 0) {
            check(ids, pass);
        }
        long[] asked = ids.to(DType.INT64).toArray().longs();
        RowIndex distinct = new RowIndex(asked.length);
        long[] places = new long[asked.length];
        boolean padded = false;
        for (int i = 0; i < asked.length; i++) {
            if (paddingId != null && asked[i] == paddingId) {
                places[i] = -1;
                padded = true;
            } else {
                places[i] = distinct.add(hashed > 0 ? IdHash.bucket(asked[i], hashed) : asked[i]);
            }
        }
        Tensor rows = pass.rows(distinct.ids());
        if (padded) { // its vector is a last one of zeros, which does not learn
            Tensor zeros = Tensor.zeros(Shape.of(1, width), rows.type(), rows.device());
            rows = Tensor.concat(List.of(rows, zeros), 0);
            long last = distinct.size();
            for (int i = 0; i < places.length; i++) {
                places[i] = places[i] < 0 ? last : places[i];
            }
        }
        Tensor local = Tensor.of(NdArray.of(places, ids.shape().toArray()), rows.device());
        return Functions.embedding(local, rows, -1);
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
        if (table || hashed > 0) {
            throw new UnsupportedLayerException(s.path(), this);
        }
        return s.let("torch.embedding(" + s.self("weight") + ", " + in.get(0) + ", "
                + (paddingId == null ? -1 : paddingId) + ")");
    }
}
