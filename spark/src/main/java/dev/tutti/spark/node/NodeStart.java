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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts a node in an executor, on a thread that outlives the task. */
final class NodeStart implements Serializable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeStart.class);
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
        DataFeed feed = new DataFeed();
        NodeContext context = new NodeContext(SparkEnv.get().executorId(), role, index, workers, feed, team);
        if (!server) {
            RemoteFeed.serve(team.messages(), feed, NodeStart::onThread);
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
        awaitOthers(team, limitMillis);
        return board.map(TensorBoardProcess::address).orElse("");
    }

    private static void onThread(Runnable work) {
        Thread thread = new Thread(work, "tutti-node-fed-from-elsewhere");
        thread.setDaemon(true);
        thread.start();
    }

    private void run(NodeContext context) {
        try {
            function.run(arguments, context);
        } catch (RuntimeException | Error e) {
            // Not thrown on: an executor ends itself when a thread of it does not catch what it throws.
            LOG.error("the function of {} {} failed", context.jobName(), context.taskIndex(), e);
            context.feed().fail(e.getClass().getSimpleName() + ": " + e.getMessage());
        } finally {
            context.feed().terminate();
        }
    }

    /** Hears from the driver that the cluster is shut down. A node whose function has ended drops rows until then, or says why it failed. */
    private void watch(NodeContext context, Thread node, Optional<TensorBoardProcess> board) {
        try {
            while (context.team().configuration().values().get(ENDED) == null) {
                Thread.sleep(POLL_MILLIS);
            }
            context.feed().end();
            node.join();
            NodeRegistry.remove(cluster, context.feed());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            board.ifPresent(TensorBoardProcess::close);
            context.team().close();
        }
    }

    private void awaitOthers(ClusterTeam team, long limitMillis) {
        long deadline = System.nanoTime() + limitMillis * 1_000_000;
        while (team.members(Member.WORKER).size() + team.members("ps").size() < workers + servers) {
            if (System.nanoTime() > deadline) {
                throw new TrainingException(
                        "only " + team.members(Member.WORKER).size() + " of " + workers + " nodes have a slot after "
                                + limitMillis / 1000 + " s: ask for fewer, or a larger cluster");
            }
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new TrainingException("interrupted while nodes were started", e);
            }
        }
    }
}
