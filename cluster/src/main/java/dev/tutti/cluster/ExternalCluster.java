package dev.tutti.cluster;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.tutti.comm.Team;
import dev.tutti.comm.connection.Connections;
import dev.tutti.train.JobFingerprint;
import dev.tutti.train.Launcher;
import dev.tutti.train.WorkerTask;
import java.nio.file.Path;
import java.util.Map;
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

    private ClusterSpec spec() {
        return spec == null ? ClusterSpec.fromEnvironment() : spec;
    }

    @Override
    public Team assemble(WorkerTask work) {
        return join(spec(), folder, work == null ? Map.of() : JobFingerprint.of(work));
    }

    /**
     * Joins the others; runs the coordinator as well where the spec says so.
     *
     * @param folder where people can find the coordinator while this process runs it, or null
     * @param settings of the job, which all members share; none for a program with a loop of its own
     */
    static Team join(ClusterSpec spec, Path folder, Map<String, String> settings) {
        return spec.runsCoordinator() ? host(spec, folder, settings) : join(spec, settings);
    }

    private static Team join(ClusterSpec spec, Map<String, String> settings) {
        ClusterTeam team = ClusterTeam.join(
                spec.coordinator(), spec.newcomer().settings(settings), spec.workers(), Connections::open);
        return spec.coordinatorWorker().map(team::coordinatorRunsIn).orElse(team);
    }

    private static Team host(ClusterSpec spec, Path folder, Map<String, String> settings) {
        HostedCoordinator coordinator = HostedCoordinator.start(spec.server(), folder);
        try {
            return new HostingTeam(join(spec, settings), coordinator::close);
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
