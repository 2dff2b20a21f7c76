package dev.tutti.nn;

import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.vector.ParameterLayout;

/** A named range of a model's vector, such as {@code dense1.weight}, and how it begins. */
public record Parameter(
        String name,
        Shape shape,
        Range range,
        ParameterLayout layout,
        Initializer initializer,
        long fanIn,
        long fanOut) {}
