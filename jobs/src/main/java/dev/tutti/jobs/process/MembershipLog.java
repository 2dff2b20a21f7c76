package dev.tutti.jobs.process;

import dev.tutti.TuttiException;
import dev.tutti.cluster.CoordinatorFolder;
import dev.tutti.cluster.coordinator.Overview;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.train.EpochResult;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells who joined a job in several JVMs, who was lost, and when the others formed a new group. It looks twice a second, and after every
 * epoch, so that a short job has been looked at too.
 */
final class MembershipLog implements AutoCloseable, Callback {
    private static final Logger LOG = LoggerFactory.getLogger(MembershipLog.class);

    /** What a member says that leaves because all is done; every other reason is a loss. */
    private static final String DONE = "its work is done";

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
                look();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    @Override
    public void epoch(Run run, EpochResult result) {
        look();
    }

    private synchronized void look() {
        if (!coordinator.exists()) {
            return;
        }
        try (CoordinatorClient client = new CoordinatorClient(coordinator.address(null)).patience(PATIENCE_MILLIS)) {
            tell(client.overview());
        } catch (TuttiException e) {
            LOG.debug("the coordinator has not started yet, or has ended", e);
        }
    }

    private void tell(Overview overview) {
        for (Overview.Line member : overview.members()) {
            String now = member.gone() == null ? "" : member.gone();
            String before = known.put(member.id(), now);
            if (before == null && now.isEmpty()) {
                progress.event("joined", member.id() + " on " + member.host());
            } else if (!now.isEmpty() && !now.equals(before)) {
                progress.event(now.equals(DONE) ? "left" : "lost", member.id() + ": " + now);
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
