package dev.tutti.cluster;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.tutti.comm.Connections;
import dev.tutti.comm.Team;
import dev.tutti.train.Assignment;
import dev.tutti.train.Workplace;
import java.nio.file.Path;
import java.util.OptionalInt;

/** A workplace whose members were started by hand and find each other by a {@link ClusterSpec}. */
final class Joined implements Workplace {
    private ClusterSpec spec;

    @JsonIgnore
    private Path folder;

    private Joined() {} // from a file: the spec is that of the environment

    Joined(ClusterSpec spec) {
        this.spec = spec;
    }

    @Override
    public Joined reachableThrough(Path whereToLook) {
        Joined copy = new Joined(spec);
        copy.folder = whereToLook;
        return copy;
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
        return join(spec(), folder);
    }

    /**
     * Joins the others; runs the coordinator as well where the spec says so.
     *
     * @param folder where people can find the coordinator while this process runs it, or null
     */
    static Team join(ClusterSpec spec, Path folder) {
        return spec.runsCoordinator() ? host(spec, folder) : join(spec);
    }

    private static Team join(ClusterSpec spec) {
        return ClusterTeam.join(spec.coordinator(), spec.newcomer(), spec.workers(), Connections::open);
    }

    private static Team host(ClusterSpec spec, Path folder) {
        HostedCoordinator coordinator = HostedCoordinator.start(spec.server(), folder);
        try {
            return new HostingTeam(join(spec), coordinator::close);
        } catch (RuntimeException e) {
            coordinator.close();
            throw e;
        }
    }

    @Override
    public String toString() {
        return "joined()";
    }
}
