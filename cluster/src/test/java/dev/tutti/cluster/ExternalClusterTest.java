package dev.tutti.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.RefusedException;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.comm.Team;
import dev.tutti.train.Launcher;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Members that were started by hand. */
@Timeout(60)
class ExternalClusterTest {
    @TempDir
    Path folder;

    @Test
    void whoRunsTheCoordinatorLetsPeopleFindItWhileItRuns() throws IOException {
        Path where = folder.resolve("coordinator");
        ClusterSpec spec = ClusterSpec.of(
                Map.of(ClusterSpec.WORKER, List.of("127.0.0.1:" + freePort())),
                new ClusterSpec.Task(ClusterSpec.WORKER, 0),
                "the-token-of-this-test");
        Team team = Cluster.of(spec).reachableThrough(where).assemble(null);
        try (CoordinatorClient onlooker = new CoordinatorClient(new CoordinatorFolder(where).address(null))) {
            team.meet(0);
            assertThat(onlooker.overview().members()).extracting("id").containsExactly("worker-0");
        } finally {
            team.close();
        }
        assertThat(Files.exists(where)).isFalse();
    }

    @Test
    void onePlaceServesSeveralTrainingsAndAnotherOneComesTooLate() {
        try (CoordinatorServer server = CoordinatorServer.start(ServerSettings.of(MembershipRules.of(1)))) {
            CoordinatorAddress address = server.address();
            ClusterSpec spec = ClusterSpec.of(
                    Map.of(
                            ClusterSpec.COORDINATOR,
                            List.of(address.host() + ":" + address.port()),
                            ClusterSpec.WORKER,
                            List.of("127.0.0.1")),
                    new ClusterSpec.Task(ClusterSpec.WORKER, 0),
                    address.token());
            Launcher place = Cluster.of(spec);
            for (int training = 0; training < 3; training++) {
                Team team = place.reachableThrough(folder).assemble(null);
                team.meet(0);
                team.done();
                team.close();
            }
            assertThatThrownBy(() -> Cluster.of(spec).assemble(null))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("the training is over");
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
