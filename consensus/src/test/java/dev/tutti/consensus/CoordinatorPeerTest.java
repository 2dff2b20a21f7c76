package dev.tutti.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.ServerSettings;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CoordinatorPeerTest {
    @Test
    void readsAList() {
        List<CoordinatorPeer> peers =
                CoordinatorPeer.list("a=node-1:7070:7071, b=node-2:7070:7071,c=127.0.0.1:7072:7073");
        assertThat(peers).hasSize(3);
        assertThat(peers.get(1))
                .isEqualTo(new CoordinatorPeer("b", new CoordinatorAddress.Endpoint("node-2", 7070), 7071));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            a=h:1:2                         | an odd number of at least 3
            a=h:1:2,b=h:3:4                 | an odd number of at least 3
            a=h:1:2,a=h:3:4,c=h:5:6         | received one twice
            a=h:1,b=h:3:4,c=h:5:6           | NAME=HOST:PORT:REPLICATION-PORT
            a=h:1:1,b=h:3:4,c=h:5:6         | a replication port
            a=h:70000:1,b=h:3:4,c=h:5:6     | the port 70000
            """)
    void refusesOthers(String text, String message) {
        assertThatThrownBy(() -> CoordinatorPeer.list(text)).hasMessageContaining(message);
    }

    @Test
    void peersSpeakPlainlyWithinOneMachineOnly(@TempDir Path folder) {
        List<CoordinatorPeer> peers =
                CoordinatorPeer.list("a=192.0.2.1:7070:7071,b=192.0.2.2:7070:7071,c=192.0.2.3:1:2");
        assertThatThrownBy(() -> new ReplicationSettings("d", peers, folder)).hasMessageContaining("received 'd'");
        assertThatThrownBy(() -> ReplicatedCoordinator.start(
                        ServerSettings.of(MembershipRules.of(1)), new ReplicationSettings("a", peers, folder)))
                .hasMessageContaining("without TLS");
    }
}
