package dev.tutti.cluster;

import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.comm.Connections;
import dev.tutti.comm.Team;
import dev.tutti.train.Assignment;
import dev.tutti.train.Workplace;
import java.util.OptionalInt;

/** A workplace whose members were started by hand and find each other by a {@link ClusterSpec}. */
final class Joined implements Workplace {
    private ClusterSpec spec;

    private Joined() {} // from a file: the spec is that of the environment

    Joined(ClusterSpec spec) {
        this.spec = spec;
    }

    @Override
    public OptionalInt workers() {
        boolean known = spec != null || System.getenv(ClusterSpec.VARIABLE) != null;
        return known ? OptionalInt.of(spec().allWorkers()) : OptionalInt.empty();
    }

    private ClusterSpec spec() {
        return spec == null ? ClusterSpec.fromEnvironment() : spec;
    }

    @Override
    public Team assemble(Assignment work) {
        return join(spec());
    }

    /** Joins the others; runs the coordinator as well where the spec says so. */
    static Team join(ClusterSpec spec) {
        CoordinatorServer coordinator = spec.runsCoordinator() ? CoordinatorServer.start(spec.server()) : null;
        try {
            Team team = ClusterTeam.join(spec.coordinator(), spec.newcomer(), spec.workers(), Connections::open);
            return coordinator == null ? team : new HostingTeam(team, coordinator::close);
        } catch (RuntimeException e) {
            if (coordinator != null) {
                coordinator.close();
            }
            throw e;
        }
    }

    @Override
    public String toString() {
        return "joined()";
    }
}
