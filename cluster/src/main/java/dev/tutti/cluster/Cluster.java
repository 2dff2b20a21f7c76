package dev.tutti.cluster;

import dev.tutti.cluster.launch.Processes;
import dev.tutti.train.Workplace;

/** The places where members can run: {@code epochs(3).on(Cluster.processes(4)).with(allReduce())}. */
public final class Cluster {
    private Cluster() {}

    /** Workers on threads of this JVM, which share the parameters: the fastest on one machine. */
    public static Workplace threads(int workers) {
        return Workplace.threads(workers);
    }

    /** JVMs of this machine: a worker that dies takes nobody with it. */
    public static Processes processes(int members) {
        return new Processes(members);
    }

    /** Members that were started by hand, on one machine or several. */
    public static Workplace of(ClusterSpec spec) {
        return new Joined(spec);
    }

    /** The same, with the spec of the environment variable {@value ClusterSpec#VARIABLE}. */
    public static Workplace fromEnvironment() {
        return of(ClusterSpec.fromEnvironment());
    }
}
