package dev.tutti.strategy.ps;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageRefusedException;
import dev.tutti.strategy.ps.ShardRequests.Contents;
import dev.tutti.table.RowGradients;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * The body of a push: gradients of the shard's range, as they are or encoded; ids and gradients of rows for each table; and what came of
 * the push, as an entry for the board. All tensors belong to the open scope.
 */
final class PushBody {
    private final List<Tensor> tensors = new ArrayList<>();
    private final List<String> tables = new ArrayList<>();
    private int dense;
    private boolean entry;

    /** One tensor of gradients, of floats of any length; or places and values. */
    PushBody gradients(List<Tensor> encoded) {
        tensors.addAll(encoded);
        dense = encoded.size();
        return this;
    }

    PushBody rows(RowGradients gradients) {
        for (String table : gradients.tables()) {
            RowGradients.Part part = gradients.of(table);
            tables.add(table);
            tensors.add(Tensor.of(part.ids(), part.ids().length));
            tensors.add(Tensor.of(part.values(), part.values().length));
        }
        return this;
    }

    PushBody entry(long[] numbers) {
        tensors.add(Tensor.of(numbers, numbers.length));
        entry = true;
        return this;
    }

    Contents contents() {
        return new Contents(dense, tables, entry);
    }

    Tensor[] tensors() {
        return tensors.toArray(Tensor[]::new);
    }

    // ---- on the server

    /** The gradients of a range of so many elements. */
    static Tensor gradients(Contents contents, Message message, long length) {
        require(contents, message);
        List<Tensor> body = message.body();
        if (contents.dense() == 2) {
            Tensor values = body.get(1).type() == DType.FLOAT32
                    ? body.get(1)
                    : body.get(1).to(DType.FLOAT32);
            Tensor all = Tensor.zeros(Shape.of(length), DType.FLOAT32);
            return all.addAt_(body.get(0), values);
        }
        if (contents.dense() != 1) {
            throw new MessageRefusedException(
                    ParameterShard.OUT_OF_STEP,
                    "expected one tensor of gradients, or places and values, received " + contents.dense()
                            + " tensors");
        }
        Tensor gradients = body.get(0);
        boolean isShort = gradients.type() == DType.FLOAT16 || gradients.type() == DType.BFLOAT16;
        return isShort && gradients.size() == length ? gradients.to(DType.FLOAT32) : gradients;
    }

    /** The gradients of rows, by table. */
    static RowGradients rows(Contents contents, Message message, ToIntFunction<String> widths) {
        require(contents, message);
        RowGradients rows = new RowGradients();
        int at = contents.dense();
        for (String table : contents.tables()) {
            Tensor ids = message.body().get(at);
            Tensor values = message.body().get(at + 1);
            int width = widths.applyAsInt(table);
            if (ids.type() != DType.INT64 || values.type() != DType.FLOAT32 || values.size() != ids.size() * width) {
                throw new MessageRefusedException(
                        ParameterShard.OUT_OF_STEP,
                        "expected ids and rows of " + width + " floats for " + table + ", received " + ids + " and "
                                + values);
            }
            rows.add(table, width, ids.toArray().longs(), values.toArray().floats());
            at += 2;
        }
        return rows;
    }

    /** The entry for the board; null if there is none. */
    static long[] entry(Contents contents, Message message) {
        require(contents, message);
        return contents.entry()
                ? message.body().get(message.body().size() - 1).toArray().longs()
                : null;
    }

    private static void require(Contents contents, Message message) {
        int expected = contents.dense() + 2 * contents.tables().size() + (contents.entry() ? 1 : 0);
        if (message.body().size() != expected) {
            throw new MessageRefusedException(
                    ParameterShard.OUT_OF_STEP,
                    "expected " + expected + " tensors for " + contents + ", received "
                            + message.body().size());
        }
    }
}
