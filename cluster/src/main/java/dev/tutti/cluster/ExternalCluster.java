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
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A launcher whose members were started by hand and find each other by a {@link ClusterSpec}.
 *
 * <p>It counts the trainings that were done here, and every member says at the start of one how many it has done before: so a program
 * that trains several times, one after the other, is not taken for one that came too late for the last training.
 */
final class ExternalCluster implements Launcher {
    private ClusterSpec spec;

    @JsonIgnore
    private Path folder;

    @JsonIgnore
    private final AtomicInteger trainings; // shared by all copies

    private ExternalCluster() {
        this(null);
    }

    /** @param spec null for that of the environment */
    ExternalCluster(ClusterSpec spec) {
        this(spec, null, new AtomicInteger());
    }

    private ExternalCluster(ClusterSpec spec, Path folder, AtomicInteger trainings) {
        this.spec = spec;
        this.folder = folder;
        this.trainings = trainings;
    }

    @Override
    public ExternalCluster reachableThrough(Path whereToLook) {
        return new ExternalCluster(spec, whereToLook, trainings);
    }

    @Override
    public OptionalInt workers() {
        boolean known = spec != null || ClusterSpec.isInEnvironment();
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
        Map<String, String> settings = work == null ? Map.of() : JobFingerprint.of(work);
        return new CountingTeam(join(spec(), folder, settings, trainings.get()), trainings);
    }

    /** Counts a training that is done, once. */
    private static final class CountingTeam extends TeamView {
        private final AtomicInteger trainings;
        private boolean counted;

        CountingTeam(Team team, AtomicInteger trainings) {
            super(team);
            this.trainings = trainings;
        }

        @Override
        public void done() {
            if (!counted) {
                counted = true;
                trainings.incrementAndGet();
            }
            super.done();
        }
    }

    /**
     * Joins the others; runs the coordinator as well where the spec says so.
     *
     * @param folder where people can find the coordinator while this process runs it, or null
     * @param settings of the job, which all members share; none for a program with a loop of its own
     * @param trainings that this process has done with the others before
     */
    static Team join(ClusterSpec spec, Path folder, Map<String, String> settings, int trainings) {
        return spec.runsCoordinator() ? host(spec, folder, settings, trainings) : join(spec, settings, trainings);
    }

    private static Team join(ClusterSpec spec, Map<String, String> settings, int trainings) {
        ClusterTeam team = ClusterTeam.join(
                spec.coordinator(),
                spec.newcomer().settings(settings).after(trainings),
                spec.workers(),
                Connections::open);
        return spec.coordinatorWorker().map(team::coordinatorRunsIn).orElse(team);
    }

    private static Team host(ClusterSpec spec, Path folder, Map<String, String> settings, int trainings) {
        HostedCoordinator coordinator = HostedCoordinator.start(spec.server(), folder);
        try {
            return new HostingTeam(join(spec, settings, trainings), coordinator::close);
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
