package dev.tutti.spark.node;

import dev.tutti.cluster.ClusterTeam;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.comm.Member;
import dev.tutti.comm.connection.Connections;
import dev.tutti.data.DataException;
import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.spark.TaskContext;

/** The way of a task's rows to a worker: to one of the same JVM where there is one, else by messages to one elsewhere. */
final class FeedRoute implements Serializable {
    private static final long serialVersionUID = 1;

    private final String cluster;
    private final String host;
    private final int port;
    private final String token;
    private final int workers;

    /** @param workers how many were started: they stay until the cluster is shut down */
    FeedRoute(String cluster, CoordinatorAddress address, int workers) {
        this.cluster = cluster;
        this.workers = workers;
        this.host = address.host();
        this.port = address.port();
        this.token = address.token();
    }

    /** Hands rows over; returns when a worker has taken them. */
    void feed(Iterator<float[]> rows) {
        Optional<DataFeed> here = NodeRegistry.feed(cluster);
        if (here.isPresent()) {
            here.get().feed(rows);
        } else if (rows.hasNext()) {
            try (ClusterTeam team = join()) {
                new RemoteFeed(team.messages(), worker(team)).feed(rows);
            }
        }
    }

    /** Hands rows over and waits for a result of each. */
    Iterator<float[]> ask(Iterator<float[]> rows) {
        Optional<DataFeed> here = NodeRegistry.feed(cluster);
        if (here.isPresent()) {
            return here.get().ask(rows);
        }
        if (!rows.hasNext()) {
            return rows;
        }
        try (ClusterTeam team = join()) {
            return new RemoteFeed(team.messages(), worker(team)).ask(rows);
        }
    }

    private ClusterTeam join() {
        String name = "feeder-" + UUID.randomUUID();
        return ClusterTeam.join(
                new CoordinatorAddress(host, port, token),
                JoinRequest.of("feeder", name).process(name + " of " + cluster),
                1,
                Connections::open);
    }

    private Member worker(ClusterTeam team) {
        List<Member> present = team.members(Member.WORKER);
        if (present.size() < workers) {
            throw new DataException("only " + present.size() + " of " + workers
                    + " workers of the cluster are left: an executor was lost, and rows with it");
        }
        return present.get(TaskContext.getPartitionId() % present.size());
    }
}
