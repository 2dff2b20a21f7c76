package dev.tutti.cluster;

import dev.tutti.cluster.launch.LocalMembers;
import dev.tutti.cluster.launch.LocalProcesses;
import dev.tutti.cluster.launch.RoleThreads;
import dev.tutti.train.Launcher;

/** The places where members can run: {@code epochs(3).on(Cluster.processes(4)).with(allReduce())}. */
public final class Cluster {
    private Cluster() {}

    /** Workers on threads of this JVM, which share the parameters: the fastest on one machine. */
    public static Launcher threads(int workers) {
        return Launcher.threads(workers);
    }

    /** Members on threads of this JVM, each with a model of its own: what several JVMs do, without starting any. */
    public static LocalMembers members(int members) {
        return new LocalMembers(members);
    }

    /** The same beside members of another role, on threads of this JVM as well: {@code threads(2, "server", 1)}. */
    public static RoleThreads threads(int workers, String role, int count) {
        return new RoleThreads(workers).role(role, count);
    }

    /** JVMs of this machine: a worker that dies takes no other with it. */
    public static LocalProcesses processes(int members) {
        return new LocalProcesses(members);
    }

    /**
     * Members that were started by hand, on one machine or several. A program that trains several times with them uses one and the same
     * place for all of its trainings.
     */
    public static Launcher of(ClusterSpec spec) {
        return new ExternalCluster(spec);
    }

    /** The same, with the spec of the environment variable {@value ClusterSpec#VARIABLE}. */
    public static Launcher fromEnvironment() {
        return of(ClusterSpec.fromEnvironment());
    }
}
