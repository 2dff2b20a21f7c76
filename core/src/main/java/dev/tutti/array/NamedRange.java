package dev.tutti.array;

/** A range of a vector under the name of the parameter that lies there, such as {@code dense1.weight}. */
public record NamedRange(String name, Range range) {}
