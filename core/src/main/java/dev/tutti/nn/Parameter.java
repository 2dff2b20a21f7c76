package dev.tutti.nn;

import dev.tutti.tensor.Layout;
import dev.tutti.tensor.Range;
import dev.tutti.tensor.Shape;

/** A named range of a model's vector, such as {@code dense1.weight}, and how it begins. */
public record Parameter(
        String name, Shape shape, Range range, Layout layout, Initializer initializer, long fanIn, long fanOut) {}
