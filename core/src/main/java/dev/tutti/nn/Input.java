package dev.tutti.nn;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;

/** What a model is fed: the shape of one sample and the type of its elements. */
public record Input(Shape shape, DType type) {
    public static Input of(long... shape) {
        return new Input(Shape.of(shape), DType.FLOAT32);
    }

    /** Whole numbers, such as words of a vocabulary. */
    public static Input ids(long... shape) {
        return new Input(Shape.of(shape), DType.INT64);
    }
}
