package dev.tutti.testkit;

import static dev.tutti.testkit.Expectation.failed;
import static dev.tutti.testkit.Expectation.sound;
import static dev.tutti.testkit.fault.FaultSchedule.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.testkit.fault.Fault;
import dev.tutti.testkit.fault.FaultSchedule;
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

/** Processes on hosts of their own that speak with each other over TLS, with certificates of both sides. */
@ExtendWith(HardAlarm.class)
class TlsHostsTest {
    private static final Duration LIMIT = Duration.ofSeconds(100);
    private static final TrainingScenario SCENARIO = TrainingScenario.joined().steps(40, 2);

    @TempDir
    Path folder;

    @BeforeAll
    static void needsNamespaces() {
        Optional<String> missing = NetworkHosts.unavailable();
        missing.ifPresent(why -> System.err.println("SKIPPED: hosts under TLS are not tested: " + why));
        Assumptions.assumeTrue(missing.isEmpty(), missing.orElse(""));
    }

    private static FaultSchedule.Then listPorts(NetworkHosts hosts, List<Integer> ports) {
        return at(1, 10).happens(new Fault.Strangers("ports are listed", () -> {
            for (int host = 0; host < 3; host++) {
                ports.addAll(hosts.openPorts(host));
            }
        }));
    }

    /** Ports for tensors are closed under TLS once all are connected, which those of Gloo are not: so tensors did take TLS. */
    @Test
    void hostsTrainOverTlsAndALostOneIsSurvived() {
        MembershipRules rules = MembershipRules.of(3)
                .between(2, 3)
                .patience(Timeouts.DEFAULT
                        .heartbeats(Duration.ofMillis(300), Duration.ofSeconds(1), Duration.ofSeconds(3))
                        .collective(Duration.ofSeconds(10)));
        List<Integer> ports = new ArrayList<>();
        try (NetworkHosts hosts = NetworkHosts.create(3);
                ProcessCluster cluster = ProcessCluster.byHand(
                        SCENARIO,
                        new ManualCluster(3, rules, folder).on(hosts, "host").withTls(),
                        listPorts(hosts, ports).at(2, 5).kill(2).schedule())) {
            ProcessCluster.Outcome outcome = cluster.await(LIMIT);
            assertThat(outcome.hung()).isEmpty();
            assertThat(sound(SCENARIO, "worker-0", "worker-1").complaints(outcome))
                    .as("%s", outcome.log())
                    .isEmpty();
            assertThat(ports).as("the coordinator's").hasSize(1);
        }
    }

    /** The other half: the same without TLS, where Gloo keeps its ports. */
    @Test
    void withoutTlsThePortsForTensorsStayOpen() {
        List<Integer> ports = new ArrayList<>();
        try (NetworkHosts hosts = NetworkHosts.create(3);
                ProcessCluster cluster = ProcessCluster.byHand(
                        SCENARIO,
                        new ManualCluster(3, MembershipRules.of(3), folder).on(hosts, "host"),
                        listPorts(hosts, ports).schedule())) {
            ProcessCluster.Outcome outcome = cluster.await(LIMIT);
            assertThat(outcome.hung()).isEmpty();
            assertThat(sound(SCENARIO, "worker-0", "worker-1", "worker-2").complaints(outcome))
                    .as("%s", outcome.log())
                    .isEmpty();
            assertThat(ports).hasSizeGreaterThan(1);
        }
    }

    /** A process that has learnt the token, but has a certificate of its own making, does not get in. */
    @Test
    void aForeignCertificateIsRefusedEvenWithTheToken() {
        MembershipRules rules = MembershipRules.of(3)
                .between(2, 3)
                .patience(Timeouts.DEFAULT.start(Duration.ofSeconds(20)).coordinator(Duration.ofSeconds(15)));
        try (NetworkHosts hosts = NetworkHosts.create(3);
                ProcessCluster cluster = ProcessCluster.byHand(
                        SCENARIO,
                        new ManualCluster(3, rules, folder)
                                .on(hosts, "host")
                                .withTls()
                                .lastMemberIsForeign(),
                        FaultSchedule.CALM)) {
            ProcessCluster.Outcome outcome = cluster.await(LIMIT);
            assertThat(outcome.hung()).isEmpty();
            assertThat(sound(SCENARIO, "worker-0", "worker-1").complaints(outcome))
                    .as("%s", outcome.log())
                    .isEmpty();
            assertThat(failed("worker-2", "coordinator").complaints(outcome))
                    .as("%s", outcome.log())
                    .isEmpty();
        }
    }
}
