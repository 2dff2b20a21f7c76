package dev.tutti.comm;

/**
 * How a member is doing.
 *
 * @param epoch the epoch under way, counted from 0
 * @param step updates done
 * @param rowsOfEpoch rows of the epoch's order that all members together have used, from its beginning; -1 where they are leased
 * @param busySeconds how long this member got data and computed for the last step, or would have for an equal part of it; 0 if it
 *     had none
 * @param loss mean loss of the last step over all members
 */
public record Report(int epoch, long step, long rowsOfEpoch, double busySeconds, double loss) {}
