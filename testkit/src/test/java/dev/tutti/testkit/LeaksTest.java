package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cluster.Cluster;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.testkit.fault.MessageFaults;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;

/** What was opened is closed: after a cluster in this JVM, and after one whose driver this JVM was. */
@Isolated
@ExtendWith(HardAlarm.class)
class LeaksTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @Test
    void leaksAreSeen() throws IOException, InterruptedException {
        Leaks before = Leaks.now();
        Thread thread = new Thread(LeaksTest::waitForever, "tutti-forgotten-7");
        thread.setDaemon(true);
        thread.start();
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(socket.isBound()).isTrue();
            assertThat(before.since(Duration.ZERO)).contains("1 x thread tutti-forgotten-#", "1 x listening port");
        }
        thread.interrupt();
        thread.join();
        assertThat(before.since(PATIENCE)).isEmpty();
    }

    private static void waitForever() {
        try {
            new java.util.concurrent.CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void clustersLeaveNothingBehind() {
        train(); // whatever is made once and for all
        Leaks before = Leaks.now();
        train();
        assertThat(before.since(PATIENCE)).isEmpty();
    }

    private static void train() {
        TrainingScenario scenario = TrainingScenario.on(Launcher.here()).steps(5, 1);
        try (ThreadCluster cluster = new ThreadCluster(
                scenario, 3, MembershipRules.of(3), MessageFaults.none(), ThreadCluster.Stop.NOBODY)) {
            assertThat(cluster.train(Duration.ofSeconds(60))).hasSize(3);
        }
        TrainingScenario driven = scenario.at(Cluster.processes(2));
        try (Trainer trainer = driven.trainer()) {
            trainer.fit(driven.data(), driven.fit());
        }
    }
}
