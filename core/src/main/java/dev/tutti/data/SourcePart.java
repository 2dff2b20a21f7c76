package dev.tutti.data;

/**
 * A part of a source that can only be read in order, as a chunk of an epoch.
 *
 * @param isHere whether it can be read in this JVM; rows that are supplied by the place a member runs in may be elsewhere
 * @param isNear whether it is cheaper to read here than elsewhere
 */
public record SourcePart(Chunk chunk, boolean isHere, boolean isNear) {}
