package dev.tutti.cluster;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.tutti.comm.Team;
import dev.tutti.comm.connection.Connections;
import dev.tutti.train.Launcher;
import dev.tutti.train.WorkerTask;
import java.nio.file.Path;
import java.util.OptionalInt;

/** A workplace whose members were started by hand and find each other by a {@link ClusterSpec}. */
final class ExternalCluster implements Launcher {
    private ClusterSpec spec;

    @JsonIgnore
    private Path folder;

    private ExternalCluster() {} // from a file: the spec is that of the environment

    ExternalCluster(ClusterSpec spec) {
        this.spec = spec;
    }

    @Override
    public ExternalCluster reachableThrough(Path whereToLook) {
        ExternalCluster copy = new ExternalCluster(spec);
        copy.folder = whereToLook;
        return copy;
    }

    @Override
    public OptionalInt workers() {
        boolean known = spec != null || System.getenv(ClusterSpec.VARIABLE) != null;
        return known ? OptionalInt.of(spec().allWorkers()) : OptionalInt.empty();
    }

    @Override
    public boolean isStartedByHand() {
        return true;
    }

    private ClusterSpec spec() {
        return spec == null ? ClusterSpec.fromEnvironment() : spec;
    }

    @Override
    public Team assemble(WorkerTask work) {
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
