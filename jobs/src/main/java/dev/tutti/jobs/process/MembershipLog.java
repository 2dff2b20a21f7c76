package dev.tutti.jobs.process;

import dev.tutti.TuttiException;
import dev.tutti.cluster.CoordinatorFolder;
import dev.tutti.cluster.coordinator.Overview;
import dev.tutti.cluster.rpc.CoordinatorClient;
import java.util.HashMap;
import java.util.Map;

/** Tells who joined a job in several JVMs, who was lost, and when the others formed a new group. */
final class MembershipLog implements AutoCloseable {
    private static final long LOOK_MILLIS = 500;
    private static final long PATIENCE_MILLIS = 2_000;

    private final CoordinatorFolder coordinator;
    private final ProgressLog progress;
    private final Map<String, String> known = new HashMap<>(); // why a member is gone, or "" while it is here
    private final Thread thread = new Thread(this::watch, "membership");
    private long generation;

    MembershipLog(CoordinatorFolder coordinator, ProgressLog progress) {
        this.coordinator = coordinator;
        this.progress = progress;
        thread.setDaemon(true);
        thread.start();
    }

    private void watch() {
        while (true) {
            try {
                Thread.sleep(LOOK_MILLIS);
                if (coordinator.exists()) {
                    try (CoordinatorClient client =
                            new CoordinatorClient(coordinator.address(null)).patience(PATIENCE_MILLIS)) {
                        tell(client.overview());
                    }
                }
            } catch (InterruptedException e) {
                return;
            } catch (TuttiException e) {
                continue; // it has not started yet, or has ended
            }
        }
    }

    private void tell(Overview overview) {
        for (Overview.Line member : overview.members()) {
            String now = member.gone() == null ? "" : member.gone();
            String before = known.put(member.id(), now);
            if (before == null && now.isEmpty()) {
                progress.event("joined", member.id() + " on " + member.host());
            } else if (!now.isEmpty() && !now.equals(before)) {
                progress.event("lost", member.id() + ": " + now);
            }
        }
        if (overview.generation() != generation) {
            generation = overview.generation();
            long members = overview.members().stream()
                    .filter(member -> member.rank() >= 0)
                    .count();
            progress.event("regrouped", "generation " + generation + " with " + members + " members");
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
