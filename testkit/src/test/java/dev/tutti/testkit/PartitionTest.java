package dev.tutti.testkit;

import static dev.tutti.testkit.Expectation.failed;
import static dev.tutti.testkit.Expectation.logged;
import static dev.tutti.testkit.Expectation.sound;
import static dev.tutti.testkit.fault.FaultSchedule.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.testkit.fault.Fault;
import dev.tutti.testkit.fault.FaultSchedule;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Hosts that are cut off from each other, in both directions or in one, while they train together. */
@ExtendWith(HardAlarm.class)
class PartitionTest {
    private static final Duration LIMIT = Duration.ofSeconds(100);
    private static final TrainingScenario DRILL = TrainingScenario.joined().steps(40, 2);
    private static final List<Integer> ISLAND = List.of(2);

    @TempDir
    Path folder;

    @BeforeAll
    static void needsNamespaces() {
        Optional<String> missing = NetworkHosts.unavailable();
        missing.ifPresent(why -> System.err.println("SKIPPED: partitions between hosts are not tested: " + why));
        Assumptions.assumeTrue(missing.isEmpty(), missing.orElse(""));
    }

    private ManualCluster three(NetworkHosts hosts, Duration coordinator) {
        Timeouts patience = Timeouts.DEFAULT
                .heartbeats(Duration.ofMillis(300), Duration.ofSeconds(1), Duration.ofSeconds(3))
                .collective(Duration.ofSeconds(4))
                .coordinator(coordinator);
        return new ManualCluster(3, MembershipRules.of(3).between(2, 3).patience(patience), folder).on(hosts, "host");
    }

    private static FaultSchedule.Then cut(NetworkHosts hosts) {
        return at(1, 10).happens(new Fault.Strangers("host 2 is cut off", () -> hosts.partition(ISLAND)));
    }

    /** The minority does not go on by itself: it ends at its deadline and says why. */
    @Test
    void theMajorityGoesOnAndTheOneThatIsCutOffEndsWithAReason() {
        try (NetworkHosts hosts = NetworkHosts.create(3);
                ProcessCluster ensemble = ProcessCluster.byHand(
                        DRILL, three(hosts, Duration.ofSeconds(6)), cut(hosts).schedule())) {
            ProcessCluster.Outcome outcome = ensemble.await(LIMIT);
            assertThat(outcome.hung()).isEmpty();
            assertThat(sound(DRILL, "worker-0", "worker-1").complaints(outcome))
                    .as("%s", outcome.log())
                    .isEmpty();
            assertThat(failed("worker-2", "coordinator").complaints(outcome))
                    .as("%s", outcome.log())
                    .isEmpty();
        }
    }

    /** The network heals while the one that was cut off still waits: it comes back under a new name, and no row is used twice. */
    @Test
    void oneThatWasCutOffComesBackAsANewMember() {
        try (NetworkHosts hosts = NetworkHosts.create(3);
                ProcessCluster ensemble = ProcessCluster.byHand(
                        DRILL,
                        three(hosts, Duration.ofSeconds(40)),
                        cut(hosts)
                                .after(8000)
                                .happens(new Fault.Strangers("healed", () -> hosts.healPartition(ISLAND)))
                                .at(1, 20)
                                .dawdle("worker-2b took over")
                                .schedule())) {
            ProcessCluster.Outcome outcome = ensemble.await(LIMIT);
            assertThat(outcome.hung()).isEmpty();
            assertThat(logged("worker-2", "is gone").complaints(outcome))
                    .as("%s", outcome.log())
                    .isEmpty();
            assertThat(sound(DRILL, "worker-0", "worker-1", "worker-2").complaints(outcome))
                    .as("%s", outcome.log())
                    .isEmpty();
        }
    }

    /** What host 2 sends arrives nowhere, and it hears all others: to them it is gone. */
    @Test
    void aLinkThatCarriesOneDirectionIsNoLink() {
        try (NetworkHosts hosts = NetworkHosts.create(3);
                ProcessCluster ensemble = ProcessCluster.byHand(
                        DRILL,
                        three(hosts, Duration.ofSeconds(6)),
                        at(1, 10)
                                .happens(new Fault.Strangers("one direction", () -> {
                                    hosts.cut(2, 0);
                                    hosts.cut(2, 1);
                                }))
                                .schedule())) {
            ProcessCluster.Outcome outcome = ensemble.await(LIMIT);
            assertThat(outcome.hung()).isEmpty();
            assertThat(sound(DRILL, "worker-0", "worker-1").complaints(outcome))
                    .as("%s", outcome.log())
                    .isEmpty();
        }
    }
}
