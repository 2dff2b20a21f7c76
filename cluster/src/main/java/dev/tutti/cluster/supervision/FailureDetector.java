package dev.tutti.cluster.supervision;

/** Notices members that have fallen silent. A member is suspected once, then either heard again or declared gone. */
public interface FailureDetector {
    /** What is known of a member. */
    enum State {
        UNKNOWN,
        ALIVE,
        UNRESPONSIVE,
        GONE
    }

    State stateOf(String member, long now);

    void heard(String member, long at);

    /** It is watched no longer. */
    void forget(String member);
}
