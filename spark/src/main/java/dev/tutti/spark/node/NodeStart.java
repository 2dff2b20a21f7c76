package dev.tutti.spark.node;

import dev.tutti.cluster.ClusterTeam;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.comm.Member;
import dev.tutti.comm.connection.Connections;
import dev.tutti.train.TrainingException;
import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.SparkEnv;

/** Starts a node in an executor, on a thread that outlives the task. */
final class NodeStart implements Serializable {
    static final String STARTED = "tutti.nodes.started";
    static final String ENDED = "tutti.nodes.ended";
    private static final long serialVersionUID = 1;
    private static final long POLL_MILLIS = 50;

    private final String cluster;
    private final String host;
    private final int port;
    private final String token;
    private final int workers;
    private final int servers;
    private final NodeFunction function;
    private final HashMap<String, String> arguments;
    private final String logDir;

    /** @param logDir what TensorBoard shows, or null for none */
    NodeStart(
            String cluster,
            CoordinatorAddress address,
            int workers,
            int servers,
            NodeFunction function,
            Map<String, String> arguments,
            String logDir) {
        this.cluster = cluster;
        this.host = address.host();
        this.port = address.port();
        this.token = address.token();
        this.workers = workers;
        this.servers = servers;
        this.function = function;
        this.arguments = new HashMap<>(arguments);
        this.logDir = logDir;
    }

    /**
     * Starts node {@code number}; returns when all nodes have joined, so that each has a slot of its own until then.
     *
     * @return the address of its TensorBoard; empty text where it has none
     */
    String start(int number, long limitMillis) {
        boolean server = number < servers;
        String role = server ? "ps" : Member.WORKER;
        int index = server ? number : number - servers;
        String name = role + "-" + index;
        ClusterTeam team = ClusterTeam.join(
                new CoordinatorAddress(host, port, token),
                JoinRequest.of(role, name).process(name + " of " + cluster),
                1,
                Connections::open);
        try {
            awaitOthers(team, limitMillis);
        } catch (RuntimeException e) {
            team.close();
            throw e;
        }
        DataFeed feed = new DataFeed();
        NodeContext context = new NodeContext(SparkEnv.get().executorId(), role, index, workers, feed, team);
        if (!server) {
            NodeRegistry.add(cluster, feed);
        }
        Thread thread = new Thread(() -> run(context), "tutti-node-" + name);
        thread.setDaemon(true);
        thread.start();
        Optional<TensorBoardProcess> board = server || index > 0 || logDir == null
                ? Optional.empty()
                : TensorBoardProcess.start(
                        System.getenv().getOrDefault("PATH", ""),
                        logDir,
                        SparkEnv.get().rpcEnv().address().host());
        Thread watch = new Thread(() -> watch(context, thread, board), "tutti-node-watch-" + name);
        watch.setDaemon(true);
        watch.start();
        return board.map(TensorBoardProcess::address).orElse("");
    }

    private void run(NodeContext context) {
        try (var team = context.team()) {
            function.run(arguments, context);
            team.done();
        } catch (RuntimeException | Error e) {
            context.feed().fail(e.getClass().getSimpleName() + ": " + e.getMessage());
            throw e;
        } finally {
            context.feed().terminate();
        }
    }

    /** Hears from the driver that the cluster is shut down. */
    private void watch(NodeContext context, Thread node, Optional<TensorBoardProcess> board) {
        try {
            while (node.isAlive() && context.team().configuration().values().get(ENDED) == null) {
                Thread.sleep(POLL_MILLIS);
            }
            context.feed().end();
            node.join();
            NodeRegistry.remove(cluster, context.feed());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            board.ifPresent(TensorBoardProcess::close);
        }
    }

    /** The driver says when all have joined: a node that sees it later may find some that have ended already. */
    private void awaitOthers(ClusterTeam team, long limitMillis) {
        long deadline = System.nanoTime() + limitMillis * 1_000_000;
        while (team.configuration().values().get(STARTED) == null) {
            if (System.nanoTime() > deadline) {
                throw new TrainingException("only " + joined(team) + " of " + (workers + servers)
                        + " nodes have a slot after " + limitMillis / 1000 + " s: ask for fewer, or a larger cluster");
            }
            pause();
        }
    }

    /** Tells the nodes to begin when all of them have joined; run by the driver, until it has or the limit has passed. */
    void begin(ClusterTeam driver, long limitMillis) {
        long deadline = System.nanoTime() + limitMillis * 1_000_000;
        while (System.nanoTime() < deadline) {
            if (joined(driver) >= workers + servers) {
                driver.configure(STARTED, "true");
                return;
            }
            pause();
        }
    }

    private static int joined(ClusterTeam team) {
        return team.members(Member.WORKER).size() + team.members("ps").size();
    }

    private static void pause() {
        try {
            Thread.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TrainingException("interrupted while nodes were started", e);
        }
    }
}
