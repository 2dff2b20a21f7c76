package dev.tutti.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.comm.Team;
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

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
