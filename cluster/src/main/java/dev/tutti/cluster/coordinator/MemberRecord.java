package dev.tutti.cluster.coordinator;

import dev.tutti.comm.Member;

/**
 * What is kept of a member, also after it is gone.
 *
 * @param order its number in the order of joining, or the one it wished for; ranks follow it
 * @param trainings that its process had done when it joined: it came for the one after those
 * @param lost how it went, or null while it is a member
 * @param lostAt when, in milliseconds; 0 while it is a member
 */
public record MemberRecord(
        String id,
        long order,
        String session,
        String role,
        String host,
        String process,
        long joinedAt,
        int trainings,
        Fact.Lost lost,
        long lostAt) {
    /** The role of those who train together. */
    public static final String WORKER = Member.WORKER;

    static MemberRecord of(Fact.Joined joined, long order, long at) {
        return new MemberRecord(
                joined.member(),
                order,
                joined.session(),
                joined.role(),
                joined.host(),
                joined.process(),
                at,
                joined.trainings(),
                null,
                0);
    }

    /** How it came. */
    Fact.Joined joined() {
        return new Fact.Joined(id, session, role, host, process, trainings);
    }

    public boolean living() {
        return lost == null;
    }

    public boolean isWorker() {
        return role.equals(WORKER);
    }

    Member member() {
        return new Member(id, host, role);
    }

    MemberRecord lost(Fact.Lost how, long at) {
        return new MemberRecord(id, order, session, role, host, process, joinedAt, trainings, how, at);
    }
}
