package dev.tutti.cluster.rpc;

import dev.tutti.cluster.coordinator.MemberRecord;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Objects;

/**
 * One who wants to be a member.
 *
 * @param session a secret of this member; joining again with it gives the same membership
 * @param wish the id it would like, such as {@code worker-2}, or null. It is given if it never was before
 * @param role {@code worker} for those who train together
 * @param host the machine it runs on; members with the same host can share memory
 * @param process the process it runs in, as {@link #process(long)} names it: so a launcher can say that it has ended
 * @param trainings that this process has done with the coordinator before: it comes for the one after those
 */
public record JoinRequest(String session, String wish, String role, String host, String process, int trainings) {
    public JoinRequest {
        Objects.requireNonNull(session, "session");
        Objects.requireNonNull(role, "role");
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(process, "process");
    }

    /** A worker in this process. */
    public static JoinRequest worker(String wish) {
        return new JoinRequest(
                ServerSettings.newToken(),
                wish,
                MemberRecord.WORKER,
                thisHost(),
                process(ProcessHandle.current().pid()),
                0);
    }

    /** A member of another role in this process. */
    public static JoinRequest of(String role, String wish) {
        return worker(wish).role(role);
    }

    public JoinRequest host(String other) {
        return new JoinRequest(session, wish, role, other, process, trainings);
    }

    public JoinRequest process(String other) {
        return new JoinRequest(session, wish, role, host, other, trainings);
    }

    public JoinRequest role(String other) {
        return new JoinRequest(session, wish, other, host, process, trainings);
    }

    /** After so many trainings that its process has done with the coordinator. */
    public JoinRequest after(int done) {
        return new JoinRequest(session, wish, role, host, process, done);
    }

    /** The same one, as somebody new. */
    public JoinRequest again() {
        return new JoinRequest(ServerSettings.newToken(), null, role, host, process, trainings);
    }

    /** The name of a process of this machine. */
    public static String process(long pid) {
        return thisHost() + ":" + pid;
    }

    /** The name of this machine. */
    public static String thisHost() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost"; // a machine that does not know its own name talks to nobody else
        }
    }

    /** The session is a secret: it is not shown. */
    @Override
    public String toString() {
        return role + " " + wish + " on " + host;
    }
}
