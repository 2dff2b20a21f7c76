package dev.tutti.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.cluster.ClusterTeam;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.cluster.rpc.CoordinatorLostException;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.cluster.rpc.Membership;
import dev.tutti.comm.ChunkPreference;
import dev.tutti.comm.Holding;
import dev.tutti.comm.connection.Connections;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(90)
class ReplicatedCoordinatorTest {
    @TempDir
    Path folder;

    @Test
    void whatWasAnsweredOutlivesItsLeader() throws Exception {
        try (TestingPeers peers = new TestingPeers(folder, MembershipRules.of(1));
                CoordinatorClient client = new CoordinatorClient(peers.address())) {
            Membership self = client.join(JoinRequest.worker("worker-0"));
            client.begin(self, "training", 0, 40, List.of());
            Holding held = client.claim(self, "shard-0");
            Set<Integer> leased = new TreeSet<>();
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 5; i++) {
                    int chunk = client.lease(self, "training", 0, List.copyOf(leased), ChunkPreference.NONE)
                            .orElseThrow();
                    assertThat(leased.add(chunk))
                            .as("chunk %s is given out once", chunk)
                            .isTrue();
                    client.use(self, "training", 0, List.of(chunk));
                }
                String leader = peers.leader();
                long began = System.nanoTime();
                peers.end(leader);
                client.configure("round", "" + round);
                assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(10));
                peers.start(leader);
            }
            assertThat(client.used(self, "training", 0)).containsExactlyInAnyOrderElementsOf(leased);
            assertThat(client.configuration().values()).containsEntry("round", "2");
            assertThat(client.holding("shard-0"))
                    .hasValueSatisfying(holding -> assertThat(holding.term()).isEqualTo(held.term()));
        }
    }

    @Test
    void aMinorityAnswersNothing() throws Exception {
        try (TestingPeers peers = new TestingPeers(folder, MembershipRules.of(1));
                CoordinatorClient client = new CoordinatorClient(peers.address())) {
            client.configure("before", "1");
            String leader = peers.leader();
            String other = "abc".replace(leader, "").substring(0, 1);
            peers.end(other);
            client.configure("twoOfThree", "1");
            peers.end(peers.leader());
            client.patience(4_000);
            assertThatThrownBy(() -> client.configure("one", "1")).isInstanceOf(CoordinatorLostException.class);
            peers.start(other);
            client.patience(30_000).configure("twoAgain", "1");
            assertThat(client.configuration().values()).containsKeys("before", "twoOfThree", "twoAgain");
        }
    }

    @Test
    void allPeersMayEndAndComeBack() throws Exception {
        CoordinatorAddress address;
        try (TestingPeers peers = new TestingPeers(folder, MembershipRules.of(1))) {
            address = peers.address();
            try (CoordinatorClient client = new CoordinatorClient(address)) {
                client.configure("kept", "yes");
            }
            List.of("a", "b", "c").forEach(peers::end);
            List.of("a", "b", "c").forEach(peers::start);
            try (CoordinatorClient client = new CoordinatorClient(address)) {
                assertThat(client.configuration().values()).containsEntry("kept", "yes");
            }
        }
    }

    @Test
    void aTeamGoesOnWhenItsLeaderIsLost() throws Exception {
        try (TestingPeers peers = new TestingPeers(folder, MembershipRules.of(1));
                ClusterTeam team =
                        ClusterTeam.join(peers.address(), JoinRequest.worker("worker-0"), 1, Connections::open)) {
            long generation = team.meet(0).group().generation();
            peers.end(peers.leader());
            peers.leader();
            team.check(); // the group is the same: nothing was lost
            assertThat(team.meet(1).group().generation()).isEqualTo(generation + 1);
        }
    }
}
