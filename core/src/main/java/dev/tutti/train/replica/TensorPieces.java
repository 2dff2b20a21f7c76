package dev.tutti.train.replica;

import dev.tutti.tensor.Device;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.function.BiConsumer;

/** The elements of a tensor in pieces of bounded size, each in one piece of the CPU's memory, for the way to other members. */
final class TensorPieces {
    /** 256 MB of float32: a call to other members has a deadline, and a piece must arrive within it. */
    static final long MOST_ELEMENTS = 1L << 26;

    private final String name;
    private final Tensor values;
    private final long mostElements;

    TensorPieces(String name, Tensor values, long mostElements) {
        this.name = name;
        this.values = values;
        this.mostElements = mostElements;
    }

    static TensorPieces of(String name, Tensor values) {
        return new TensorPieces(name, values, MOST_ELEMENTS);
    }

    /**
     * Does something with each piece.
     *
     * @param writes whether it writes the pieces, which are then written to the tensor
     */
    void forEach(boolean writes, BiConsumer<String, Tensor> work) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            boolean flat = values.isContiguous() && values.device().equals(Device.CPU);
            Tensor elements = flat ? values : values.to(Device.CPU).contiguous();
            Tensor row = elements.view(-1);
            long size = row.size();
            long count = Math.max(1, (size + mostElements - 1) / mostElements);
            for (long i = 0; i < count; i++) {
                long from = i * mostElements;
                Tensor piece = row.narrow(0, from, Math.min(mostElements, size - from));
                work.accept(count == 1 ? name : name + ", piece " + (i + 1) + " of " + count, piece);
            }
            if (writes && !flat) {
                values.copy_(elements);
            }
        }
    }
}
