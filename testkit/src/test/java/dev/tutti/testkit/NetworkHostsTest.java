package dev.tutti.testkit;

import static dev.tutti.testkit.Expectation.sound;
import static dev.tutti.testkit.fault.FaultSchedule.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.cluster.launch.ChildJvm;
import dev.tutti.testkit.fault.Fault;
import dev.tutti.testkit.fault.FaultSchedule;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Members on hosts of their own, and strangers in the same network. */
@ExtendWith(HardAlarm.class)
class NetworkHostsTest {
    private static final Duration LIMIT = Duration.ofSeconds(100);
    private static final TrainingScenario SCENARIO = TrainingScenario.joined().steps(40, 2);
    private static final String SAME_NAME = "nowhere-known";
    private static final int STRANGER = 2;

    @TempDir
    Path folder;

    @BeforeAll
    static void needsNamespaces() {
        Optional<String> missing = NetworkHosts.unavailable();
        missing.ifPresent(why -> System.err.println("SKIPPED: members on hosts of their own are not tested: " + why));
        Assumptions.assumeTrue(missing.isEmpty(), missing.orElse(""));
    }

    /**
     * Two hosts with one name, which no name service knows, train together; strangers then send what they like to every port that is
     * open, and keep their connections.
     */
    @Test
    void hostsWithTheSameNameTrainTogetherWhateverStrangersSend() {
        List<Process> strangers = new ArrayList<>();
        List<Integer> ports = new ArrayList<>();
        try (NetworkHosts hosts = NetworkHosts.create(3)) {
            ManualCluster settings = new ManualCluster(2, MembershipRules.of(2), folder).on(hosts, SAME_NAME);
            FaultSchedule schedule = at(1, 10)
                    .happens(new Fault.Strangers("bytes to every port", () -> strangers.add(attack(hosts, ports))))
                    .schedule();
            try (ProcessCluster cluster = ProcessCluster.byHand(SCENARIO, settings, schedule)) {
                ProcessCluster.Outcome outcome = cluster.await(LIMIT);
                assertThat(outcome.hung()).isEmpty();
                assertThat(sound(SCENARIO, "worker-0", "worker-1").complaints(outcome))
                        .isEmpty();
                assertThat(outcome.log()).noneMatch(line -> line.contains("meeting again"));
            }
            assertThat(strangers).hasSize(1).allMatch(Process::isAlive);
            // The coordinator's, and on each host those of its two sets of connections to other members.
            assertThat(ports).hasSizeBetween(3, 5);
        } finally {
            strangers.forEach(Process::destroyForcibly);
        }
    }

    /** All stand still for longer than a collective call may take, as in a machine that is suspended: nobody has kept another waiting. */
    @Test
    void timeInWhichAllWereStoppedIsNotHeldAgainstAnybody() {
        Timeouts patience = Timeouts.DEFAULT
                .heartbeats(Duration.ofMillis(300), Duration.ofSeconds(20), Duration.ofSeconds(30))
                .collective(Duration.ofSeconds(2));
        try (NetworkHosts hosts = NetworkHosts.create(2)) {
            ManualCluster settings = new ManualCluster(
                            2, MembershipRules.of(2).between(2, 2).patience(patience), folder)
                    .on(hosts, SAME_NAME);
            FaultSchedule schedule = at(1, 10)
                    .hang(1)
                    .at(1, 10)
                    .hang(0)
                    .after(5000)
                    .resume(1)
                    .after(1)
                    .resume(0)
                    .schedule();
            try (ProcessCluster cluster = ProcessCluster.byHand(SCENARIO, settings, schedule)) {
                ProcessCluster.Outcome outcome = cluster.await(LIMIT);
                assertThat(outcome.hung()).isEmpty();
                assertThat(sound(SCENARIO, "worker-0", "worker-1").complaints(outcome))
                        .as("%s", outcome.log())
                        .isEmpty();
                assertThat(outcome.log()).noneMatch(line -> line.contains("meeting again"));
            }
        }
    }

    private static Process attack(NetworkHosts hosts, List<Integer> ports) {
        List<String> targets = new ArrayList<>();
        for (int host = 0; host < 2; host++) {
            for (int port : hosts.openPorts(host)) {
                targets.add(hosts.address(host) + ":" + port);
                ports.add(port);
            }
        }
        Process stranger = ChildJvm.of(HostileMain.class.getName(), "stranger", targets)
                .within(hosts.within(STRANGER, "stranger"))
                .start();
        BufferedReader output = stranger.inputReader(StandardCharsets.UTF_8);
        try {
            String line = output.readLine();
            assertThat(line).startsWith(HostileMain.DONE);
            return stranger;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
