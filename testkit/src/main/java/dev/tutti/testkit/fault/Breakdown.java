package dev.tutti.testkit.fault;

/**
 * The point of its work at which one member stops for good, or dies. A worker does that to itself, so that the point is exact; to a member
 * of another role the first worker does it, at a message to that one.
 *
 * @param member its name
 * @param where one of the constants here; what a collective call is about, such as {@code gradients}; the topic of a message to a member of
 *     another role
 * @param count at which time it comes there, from 1
 * @param micros how long after it came there: 0 is before, a little more is in the middle of it
 * @param kill whether it is killed; else it is stopped
 */
public record Breakdown(String member, String where, int count, long micros, boolean kill) {
    /** Its JVM has just started; the coordinator does not know it yet. */
    public static final String START = "its start";

    /** It has joined and goes to meet the others. */
    public static final String MEETING = "a meeting";

    /** It has met the others and has not said anything to them yet. */
    public static final String MET = "the end of a meeting";

    /** As chief it is about to write the checkpoint of an epoch. */
    public static final String CHECKPOINT = "a checkpoint";

    /** It is done and about to leave. */
    public static final String LEAVING = "leaving";

    /** Whether it is a member of another role than those that train. */
    public boolean isOfAnotherRole() {
        return !member.startsWith("worker-");
    }

    @Override
    public String toString() {
        return member + (kill ? " dies at " : " stops at ") + where + " " + count
                + (micros == 0 ? "" : " after " + micros + " us");
    }
}
