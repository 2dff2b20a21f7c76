package dev.tutti.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.cluster.rpc.TestingTlsFiles;
import dev.tutti.cluster.rpc.TlsFiles;
import dev.tutti.comm.connection.Connections;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Members of two machines, which are made up: what they show the coordinator decides whether their tensors are encrypted. */
@Timeout(120)
class EncryptedTensorsTest {
    @TempDir
    Path folder;

    @Test
    void membersWithCertificatesEncryptTensorsTheOthersDoNot() throws Exception {
        TlsFiles made = TestingTlsFiles.make(folder, "job");
        TlsFiles mutual = new TlsFiles(made.certificate(), made.key(), made.certificate());
        assertThat(encrypts(mutual, mutual)).containsExactly(true, true);
        assertThat(encrypts(made, TlsFiles.trusting(made.certificate())))
                .as("no certificates of the members")
                .containsExactly(false, false);
    }

    /** Lets two members sum a number; whether they encrypt it. */
    private static List<Boolean> encrypts(TlsFiles coordinator, TlsFiles member) throws Exception {
        ConcurrentLinkedQueue<Boolean> encrypted = new ConcurrentLinkedQueue<>();
        ExecutorService threads = Executors.newCachedThreadPool();
        try (CoordinatorServer server =
                CoordinatorServer.start(ServerSettings.of(MembershipRules.of(2)).tls(coordinator))) {
            CoordinatorAddress address = new CoordinatorAddress(
                    "localhost", server.address().port(), server.address().token(), member);
            List<Future<Double>> sums = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                JoinRequest request = JoinRequest.worker("worker-" + i).host("made-up-" + i);
                sums.add(threads.submit(() -> {
                    try (ClusterTeam team = ClusterTeam.join(address, request, 1, (group, board, timeout) -> {
                        encrypted.add(board.tls().isPresent());
                        return Connections.open(group, board, timeout);
                    })) {
                        team.meet(0);
                        return team.collectives().sum("values", 1)[0];
                    }
                }));
            }
            for (Future<Double> sum : sums) {
                assertThat(sum.get(100, TimeUnit.SECONDS)).isEqualTo(2);
            }
        } finally {
            threads.shutdownNow();
        }
        return List.copyOf(encrypted);
    }
}
