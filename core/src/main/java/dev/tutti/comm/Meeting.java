package dev.tutti.comm;

/**
 * What came of a meeting.
 *
 * @param group the members from here on
 * @param source the rank of a member whose state is the furthest
 * @param takeOver whether a member has to take over the state of {@code source}, which then sends it to all
 */
public record Meeting(Group group, int source, boolean takeOver) {}
