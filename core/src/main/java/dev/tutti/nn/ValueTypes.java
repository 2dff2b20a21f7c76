package dev.tutti.nn;

import dev.tutti.array.DType;
import java.util.List;

/** Says which values inside a model are whole numbers, such as ids that are laid out anew before an embedding looks them up. */
final class ValueTypes {
    private ValueTypes() {}

    /** The type of what a layer gives: that of its inputs where it only moves elements, else that of the model. */
    static DType after(Layer layer, List<Input> inputs) {
        DType type = inputs.get(0).type();
        boolean alike = inputs.stream().allMatch(input -> input.type() == type);
        return alike && moves(layer) ? type : DType.FLOAT32;
    }

    private static boolean moves(Layer layer) {
        boolean moves = layer instanceof Sequential sequential
                ? sequential.layers().stream().allMatch(ValueTypes::moves)
                : layer instanceof Flatten
                        || layer instanceof Reshape
                        || layer instanceof Permute
                        || layer instanceof Concatenate;
        return moves && layer.activation() == Activation.NONE;
    }
}
