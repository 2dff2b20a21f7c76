package dev.tutti.consensus;

import dev.tutti.json.ConfigException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * How a coordinator is replicated.
 *
 * @param self the name of this process among the peers
 * @param peers all of them, this one included
 * @param folder where this peer keeps its copy of the log
 * @param election how long the peers wait for a silent leader before they elect another; a partitioned leader gives up after the same time
 */
public record ReplicationSettings(String self, List<CoordinatorPeer> peers, Path folder, Duration election) {
    /** Four lost heartbeats of the leader; shorter than members wait for a coordinator by far. */
    private static final Duration ELECTION = Duration.ofMillis(600);

    public ReplicationSettings {
        peers = List.copyOf(peers);
        List<String> names = peers.stream().map(CoordinatorPeer::name).toList();
        if (!names.contains(self)) {
            throw new ConfigException("expected the name of one of the peers " + names + ", received '" + self + "'");
        }
    }

    public ReplicationSettings(String self, List<CoordinatorPeer> peers, Path folder) {
        this(self, peers, folder, ELECTION);
    }

    CoordinatorPeer own() {
        return peers.stream()
                .filter(peer -> peer.name().equals(self))
                .findFirst()
                .orElseThrow();
    }
}
