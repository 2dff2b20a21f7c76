package dev.tutti.nn;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import java.util.List;
import java.util.Random;

/** A layer with inputs it takes; being listed here is all a layer does to be held to the contract. */
record LayerCase(String name, Layer definition, List<Input> inputs) {
    static LayerCase of(String name, Layer definition, Input... inputs) {
        return new LayerCase(name, definition, List.of(inputs));
    }

    Model model(DType type) {
        return Model.of(definition, Model.Options.DEFAULT.seed(3).type(type), inputs);
    }

    /** Whether the length of an input is left open. */
    boolean isOpen() {
        return inputs.stream().anyMatch(input -> !input.shape().isKnown());
    }

    /** A batch for each input; ids are 0 to 4, and open lengths are {@code length}. */
    List<NdArray> batch(int size, int length, DType type) {
        Random random = new Random(17);
        return inputs.stream()
                .map(input -> fill(input, size, length, type, random))
                .toList();
    }

    private static NdArray fill(Input input, int size, int length, DType type, Random random) {
        Shape shape = Shape.of(size);
        for (long dim : input.shape().toArray()) {
            shape = shape.append(dim == Shape.ANY ? length : dim);
        }
        int count = Math.toIntExact(shape.size());
        if (!input.type().isFloating()) {
            return NdArray.of(random.longs(count, 0, 5).toArray(), shape.toArray());
        }
        double[] values = random.doubles(count, -1.5, 1.5).toArray();
        return NdArray.of(values, shape.toArray()).to(type);
    }

    @Override
    public String toString() {
        return name;
    }
}
