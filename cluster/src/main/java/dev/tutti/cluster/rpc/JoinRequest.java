package dev.tutti.cluster.rpc;

import dev.tutti.cluster.coordinator.MemberRecord;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
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
 * @param machine what tells the host from others with the same name; empty if the name does
 * @param settings of the job it was started for, by their paths: all members need the same. None for a program with a loop of its own
 */
public record JoinRequest(
        String session,
        String wish,
        String role,
        String host,
        String process,
        int trainings,
        String machine,
        Map<String, String> settings) {
    public JoinRequest {
        settings = Map.copyOf(settings);
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
                0,
                MachineId.here(),
                Map.of());
    }

    /** A member of another role in this process. */
    public static JoinRequest of(String role, String wish) {
        return worker(wish).role(role);
    }

    /** On a machine of this name, wherever that may be. */
    public JoinRequest host(String other) {
        return new JoinRequest(session, wish, role, other, process, trainings, "", settings);
    }

    /** As one that was started for a job. */
    public JoinRequest settings(Map<String, String> ofJob) {
        return new JoinRequest(session, wish, role, host, process, trainings, machine, ofJob);
    }

    public JoinRequest process(String other) {
        return new JoinRequest(session, wish, role, host, other, trainings, machine, settings);
    }

    public JoinRequest role(String other) {
        return new JoinRequest(session, wish, other, host, process, trainings, machine, settings);
    }

    /** After so many trainings that its process has done with the coordinator. */
    public JoinRequest after(int done) {
        return new JoinRequest(session, wish, role, host, process, done, machine, settings);
    }

    /**
     * The same process as a new member.
     *
     * @param before the id of the lost member, by which people recognise it ({@code worker-1b}); null: any
     */
    public JoinRequest again(String before) {
        return new JoinRequest(ServerSettings.newToken(), before, role, host, process, trainings, machine, settings);
    }

    /** The name of a process of this machine. */
    public static String process(long pid) {
        return thisHost() + "~" + MachineId.here() + ":" + pid;
    }

    /** The name of this machine. */
    public static String thisHost() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost"; // a machine that does not know its own name is reached from itself only
        }
    }

    /** The session is a secret: it is not shown. */
    @Override
    public String toString() {
        return role + " " + wish + " on " + host;
    }
}
