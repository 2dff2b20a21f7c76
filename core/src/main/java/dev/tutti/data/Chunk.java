package dev.tutti.data;

/**
 * A part of an epoch that can be read on its own. The chunks of an epoch hold each of its rows exactly once.
 *
 * @param number its place among the chunks
 * @param from where it begins: a row in the epoch's order, or a part of a source that has no random access
 * @param to where it ends, exclusive
 */
public record Chunk(int number, long from, long to) {}
