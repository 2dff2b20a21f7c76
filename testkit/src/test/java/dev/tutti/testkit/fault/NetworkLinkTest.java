package dev.tutti.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cluster.ClusterTeam;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.cluster.supervision.FailureDetector.State;
import dev.tutti.comm.connection.Connections;
import dev.tutti.testkit.HardAlarm;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;

/** A member whose way to the coordinator is cut. */
@Isolated
@ExtendWith(HardAlarm.class)
class NetworkLinkTest {
    /** Shorter than the pause of about a second after which a connection would be tried again by itself. */
    private static final Timeouts PATIENCE = Timeouts.DEFAULT.reconnect(Duration.ofMillis(750));

    @Test
    void aCutThatIsShorterThanThePatienceIsNotMinded() throws InterruptedException {
        try (CoordinatorServer server = CoordinatorServer.start(
                        ServerSettings.of(MembershipRules.of(1).patience(PATIENCE)));
                NetworkLink link = new NetworkLink(server.port());
                ClusterTeam team = ClusterTeam.join(
                        new CoordinatorAddress(
                                "127.0.0.1", link.port(), server.address().token()),
                        JoinRequest.worker("worker-0"),
                        1,
                        Connections::open)) {
            team.meet(0);
            for (int i = 0; i < 3; i++) {
                link.cut(Duration.ofMillis(150));
                awaitEnd(server, State.ALIVE);
                awaitEnd(server, State.UNRESPONSIVE);
                assertThat(state(server)).isEqualTo(State.ALIVE);
            }
            team.check();
        }
    }

    private static State state(CoordinatorServer server) {
        return server.overview().members().get(0).state();
    }

    private static void awaitEnd(CoordinatorServer server, State state) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (state(server) == state && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }
}
