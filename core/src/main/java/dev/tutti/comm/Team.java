package dev.tutti.comm;

import java.util.List;

/**
 * The members that work together, as one of them sees them, through all changes of who they are.
 *
 * <p>Order of calls: {@link #meet} first, and again whenever something ended in {@link GroupChangedException}; {@link #group},
 * {@link #collectives} and the rest in between; then {@link #close}.
 */
public interface Team extends AutoCloseable {
    /** A member on its own, with so many workers on threads of this JVM. */
    static Team alone(int threads) {
        return new SingleMemberTeam(threads);
    }

    /**
     * Meets all members that are alive in a new group. Blocks until they are there, within a deadline.
     *
     * @param progress how far this member's state is: updates done so far, or -1 if it has no state and wants another's
     * @throws MemberLostException if too few are left; it says who is missing since when
     */
    Meeting meet(long progress);

    /** The members as of the last meeting. */
    Group group();

    /** What the members of the present group compute together. */
    Collectives collectives();

    /**
     * What some members of the present group compute together; all members of the {@linkplain Group#sub sub-group} call it. They
     * are known to these members alone, and end with the group: when a member of the group is lost, or when it meets again. They
     * are opened once, and the team closes them.
     *
     * @throws MemberLostException if some of them did not come in time
     */
    Collectives collectives(Group sub);

    /**
     * The messages of this member, with members of any role; there before the first meeting, and through all of them. A member that
     * was given up and came back is another one, with other messages: it serves its topics anew.
     */
    Messages messages();

    /** Which members hold which things. */
    Ownership ownership();

    /** The members of a role that are there now, in the order of joining. */
    List<Member> members(String role);

    /** Whether the training is over that this member came for: members of other roles than the workers' end then. */
    default boolean isOver() {
        return false;
    }

    /**
     * Asked at every step.
     *
     * @throws GroupChangedException if a member has joined or left since the last meeting
     */
    void check();

    /** Workers on threads of this member's JVM. */
    int threads();

    /**
     * Chunks of a data set, given out so that each is used once. Data sets that are read side by side have different names.
     *
     * @param dataset up to 100 letters, digits and any of . _ -; the data a model is trained on is {@value Leases#TRAINING}
     */
    Leases leases(String dataset);

    /** Tells how this member is doing, for people and for those who look after slow members. Never waits. */
    void report(Report report);

    /** The job's settings, as far as this member has heard of them. Never waits. */
    Configuration configuration();

    /** Changes a setting for all members, who hear of it soon; null takes it away. */
    void configure(String key, String value);

    /** Says why this member is about to leave before the work is done, so that the others can tell. */
    default void failed(Throwable why) {}

    /** Says that the work is done, for all members and for those who might still come. */
    default void done() {}

    /** Leaves the others in good order. Closing twice does nothing. */
    @Override
    void close();
}
