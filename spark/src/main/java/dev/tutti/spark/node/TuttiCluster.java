package dev.tutti.spark.node;

import dev.tutti.cluster.ClusterTeam;
import dev.tutti.cluster.HostedCoordinator;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.comm.Member;
import dev.tutti.comm.connection.Connections;
import dev.tutti.spark.SparkCluster;
import dev.tutti.spark.launch.DriverAddress;
import dev.tutti.train.TrainingException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * Nodes of a cluster that run a function of the user's own, in the shape of TensorFlowOnSpark:
 *
 * <pre>{@code
 * TuttiCluster cluster = TuttiCluster.run(spark, function, Map.of(), 2, 0, InputMode.SPARK);
 * cluster.train(rdd, 3);
 * cluster.shutdown();
 * }</pre>
 *
 * <p>Nodes live on threads of executors and hold no slot, so that RDDs can be computed beside them. Those whose model can be described
 * need none of this: see {@code TuttiEstimator}.
 */
public final class TuttiCluster {
    private static final long START_MILLIS = 60_000;
    private static final long POLL_MILLIS = 50;
    private static final Duration END = Duration.ofMinutes(5);

    private final String id = UUID.randomUUID().toString();
    private final JavaSparkContext context;
    private final HostedCoordinator coordinator;
    private final ClusterTeam team;
    private final InputMode mode;
    private final int workers;
    private String tensorBoard = "";

    private TuttiCluster(SparkSession session, int workers, InputMode mode) {
        this.context = JavaSparkContext.fromSparkContext(session.sparkContext());
        this.mode = mode;
        this.workers = workers;
        DriverAddress address = DriverAddress.of(session.sparkContext().getConf(), new SparkCluster());
        MembershipRules rules = MembershipRules.of(workers).patience(Timeouts.DEFAULT.coordinatorInDriver());
        coordinator = HostedCoordinator.start(
                ServerSettings.of(rules).listen(address.host(), 0).plainToOthers(address.plain()), null);
        CoordinatorClient client = new CoordinatorClient(coordinator.server().address()).besideCoordinator();
        team = ClusterTeam.join(client, JoinRequest.of("driver", "driver"), 1, Connections::open);
    }

    /**
     * Starts nodes.
     *
     * @throws TrainingException if they do not all have a slot within a minute
     */
    public static TuttiCluster run(
            SparkSession session,
            NodeFunction function,
            Map<String, String> arguments,
            int workers,
            int servers,
            InputMode mode) {
        return run(session, function, arguments, workers, servers, mode, null);
    }

    /**
     * Starts nodes, and TensorBoard beside the first worker where that program is on the PATH of its executor. TensorBoard asks for no
     * password: it listens on the address of the executor, for all that reach it.
     *
     * @param logDir what TensorBoard shows: a folder that the first worker's executor reads, or null for no TensorBoard
     * @throws TrainingException if they do not all have a slot within a minute
     */
    public static TuttiCluster run(
            SparkSession session,
            NodeFunction function,
            Map<String, String> arguments,
            int workers,
            int servers,
            InputMode mode,
            String logDir) {
        if (workers < 1 || servers < 0) {
            throw new TrainingException(
                    "expected at least 1 worker and 0 servers, received " + workers + " and " + servers);
        }
        TuttiCluster cluster = new TuttiCluster(session, workers, mode);
        try {
            NodeStart start = new NodeStart(
                    cluster.id, cluster.coordinator.server().address(), workers, servers, function, arguments, logDir);
            List<Integer> numbers =
                    IntStream.range(0, workers + servers).boxed().toList();
            cluster.tensorBoard = cluster.context
                    .parallelize(numbers, numbers.size())
                    .map(number -> start.start(number, START_MILLIS))
                    .reduce((one, other) -> one.isEmpty() ? other : one);
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** Where TensorBoard is, for a browser; empty where it was not asked for or is not installed. */
    public Optional<String> tensorBoard() {
        return Optional.of(tensorBoard).filter(address -> !address.isEmpty());
    }

    /** Feeds all rows so many times, to the worker of the executor that has them, or to another one; returns when all were taken. */
    public void train(JavaRDD<float[]> rows, int epochs) {
        requireFed();
        FeedRoute route = route();
        for (int epoch = 0; epoch < epochs; epoch++) {
            rows.foreachPartition(route::feed);
        }
    }

    /** The nodes' results, one for each row; computed when it is asked for, before the cluster is shut down. */
    public JavaRDD<float[]> inference(JavaRDD<float[]> rows) {
        requireFed();
        FeedRoute route = route();
        return rows.mapPartitions(route::ask);
    }

    private FeedRoute route() {
        return new FeedRoute(id, coordinator.server().address(), workers);
    }

    private void requireFed() {
        if (mode != InputMode.SPARK) {
            throw new TrainingException("the nodes read their own data (" + mode + "): expected InputMode.SPARK");
        }
    }

    /**
     * Tells the nodes that no rows follow, and waits for them.
     *
     * @throws TrainingException if some have not ended within five minutes
     */
    public void shutdown() {
        shutdown(END);
    }

    /**
     * Tells the nodes that no rows follow, and waits for them.
     *
     * @throws TrainingException if some have not ended within the limit
     */
    public void shutdown(Duration limit) {
        team.configure(NodeStart.ENDED, "true");
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            while (!left().isEmpty()) {
                if (System.nanoTime() > deadline) {
                    throw new TrainingException("these nodes have not ended within " + limit.toSeconds() + " s: "
                            + left() + "; does their function ask shouldStop()?");
                }
                Thread.sleep(POLL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            close();
        }
    }

    private List<Member> left() {
        List<Member> nodes = new ArrayList<>(team.members(Member.WORKER));
        nodes.addAll(team.members("ps"));
        return nodes;
    }

    private void close() {
        team.close();
        coordinator.close();
    }
}
