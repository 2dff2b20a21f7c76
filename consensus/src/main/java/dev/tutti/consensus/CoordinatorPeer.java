package dev.tutti.consensus;

import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.json.ConfigException;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One of the processes that replicate a coordinator.
 *
 * @param name what the peers call it: letters, digits and dashes
 * @param members where members reach it while it leads
 * @param replicationPort where the other peers reach it, on the same host
 */
public record CoordinatorPeer(String name, CoordinatorAddress.Endpoint members, int replicationPort) {
    private static final Pattern FORM =
            Pattern.compile("(?<name>[A-Za-z0-9-]{1,40})=(?<host>[^,=]+):(?<port>\\d{1,5}):(?<replication>\\d{1,5})");
    private static final String EXPECTED = "expected NAME=HOST:PORT:REPLICATION-PORT, such as a=node-1:7070:7071";

    public CoordinatorPeer {
        if (replicationPort < 1 || replicationPort > 65_535 || replicationPort == members.port()) {
            throw new ConfigException("peer " + name + ": expected a replication port from 1 to 65535 that is not "
                    + members.port() + ", received " + replicationPort);
        }
    }

    /** Reads {@code a=node-1:7070:7071,b=...}. */
    public static List<CoordinatorPeer> list(String text) {
        List<CoordinatorPeer> peers =
                Arrays.stream(text.split(",")).map(CoordinatorPeer::parse).toList();
        if (peers.size() < 3 || peers.size() % 2 == 0) {
            throw new ConfigException(
                    "peers: expected an odd number of at least 3, since a majority decides; received " + peers.size());
        }
        if (peers.stream().map(CoordinatorPeer::name).distinct().count() < peers.size()) {
            throw new ConfigException("peers: expected a name for each, received one twice: " + text);
        }
        return peers;
    }

    private static CoordinatorPeer parse(String text) {
        Matcher form = FORM.matcher(text.strip());
        if (!form.matches()) {
            throw new ConfigException("peers: " + EXPECTED + ", received '" + text + "'");
        }
        int port = Integer.parseInt(form.group("port"));
        if (port < 1 || port > 65_535) {
            throw new ConfigException("peers: " + EXPECTED + ", received the port " + port);
        }
        return new CoordinatorPeer(
                form.group("name"),
                new CoordinatorAddress.Endpoint(form.group("host"), port),
                Integer.parseInt(form.group("replication")));
    }

    String replicationAddress() {
        return members.host() + ":" + replicationPort;
    }
}
