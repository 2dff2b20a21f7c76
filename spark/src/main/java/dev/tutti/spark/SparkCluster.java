package dev.tutti.spark;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.json.Definition;
import dev.tutti.spark.launch.MasterPlace;
import dev.tutti.train.History;
import dev.tutti.train.RemoteLauncher;
import dev.tutti.train.RemoteTraining;
import dev.tutti.train.TrainingException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Executors of a Spark cluster: {@code epochs(3).on(new SparkCluster("spark://node:7077"))}, in a job {@code cluster: {type: spark,
 * master: ...}}. Members are tasks of one Spark job, one for each slot; the driver computes nothing.
 *
 * <p>The number of members is not fixed: training begins with those that have a slot, a lost executor's task is started again by
 * Spark and joins, and members that come later join as well.
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public final class SparkCluster extends Definition implements RemoteLauncher {
    private static final Pattern MASTER =
            Pattern.compile("spark://[^:,/\\s]+:\\d+(,[^:,/\\s]+:\\d+)*|local(\\[[^\\]]+])?"
                    + "|local-cluster\\[\\s*\\d+\\s*,\\s*\\d+\\s*,\\s*\\d+\\s*]|yarn|k8s://\\S+");

    private String master;
    private Integer workers;
    private int min = 1;
    private Map<String, String> conf = Map.of();
    private Double goneAfterSeconds;
    private Double collectiveSeconds;
    private Double startSeconds;
    private Boolean plain;

    @JsonIgnore
    private SparkPlace place;

    @JsonIgnore
    private Path folder;

    /** The session that is active, or the cluster that spark-submit has chosen. */
    public SparkCluster() {}

    /** @param master such as {@code spark://node:7077}, {@code yarn} or {@code local-cluster[2,1,1024]} */
    public SparkCluster(String master) {
        this.master = master;
        validate();
    }

    /** The same in a place that has a session already. */
    SparkCluster in(SparkPlace other) {
        return copy(c -> c.place = other);
    }

    /** So many members, parameter servers among them; one for each slot of the cluster by default. */
    public SparkCluster workers(int count) {
        return copy(c -> c.workers = count);
    }

    /** The same for a program that spark-submit has started: master and settings come from it. */
    public SparkCluster submitted() {
        return copy(c -> {
            c.master = null;
            c.conf = Map.of();
        });
    }

    /** The least number of members that go on; with fewer training waits a while and fails. 1 by default. */
    public SparkCluster min(int least) {
        return copy(c -> c.min = least);
    }

    /** A setting of Spark, such as {@code spark.executor.memory}, for a session that is opened for the training. */
    public SparkCluster conf(String key, String value) {
        Map<String, String> more = new TreeMap<>(conf);
        more.put(key, value);
        return copy(c -> c.conf = Map.copyOf(more));
    }

    /** Silence after which a member is given up; 10 s by default. */
    public SparkCluster goneAfter(Duration silence) {
        return copy(c -> c.goneAfterSeconds = silence.toMillis() / 1e3);
    }

    /** How long a member waits for the others within one call; 30 s by default. */
    public SparkCluster deadline(Duration wait) {
        return copy(c -> c.collectiveSeconds = wait.toMillis() / 1e3);
    }

    /** How long the first members wait for those that have no slot yet; then they begin without them. 60 s by default. */
    public SparkCluster startWithin(Duration wait) {
        return copy(c -> c.startSeconds = wait.toMillis() / 1e3);
    }

    /**
     * Whether members of different machines may speak to each other without encryption. By default they may where Spark's own
     * connections are not encrypted either.
     */
    public SparkCluster plain(boolean allowed) {
        return copy(c -> c.plain = allowed);
    }

    @Override
    public SparkCluster reachableThrough(Path whereToLook) {
        return copy(c -> c.folder = whereToLook);
    }

    @Override
    public void validate() {
        require(
                master == null || !master.isBlank(),
                "master: expected one such as spark://host:7077, received nothing");
        require(
                master == null || MASTER.matcher(master).matches(),
                "master: expected spark://host:port, local[2], local-cluster[workers,cores,megabytes], yarn or k8s://...,"
                        + " received " + master);
        require(workers == null || workers >= 1, "workers: expected at least 1, received " + workers);
        require(min >= 1, "min: expected at least 1, received " + min);
        require(
                workers == null || min <= workers,
                "min: expected at most the number of workers, " + workers + ", received " + min);
        require(conf != null, "conf: expected settings of Spark by their names, received nothing");
        for (Double seconds : new Double[] {goneAfterSeconds, collectiveSeconds, startSeconds}) {
            require(
                    seconds == null || seconds >= 0.01,
                    "goneAfterSeconds, collectiveSeconds, startSeconds: expected at least 0.01, received " + seconds);
        }
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new TrainingException("spark: " + message);
        }
    }

    @Override
    public OptionalInt workers() {
        return workers == null ? OptionalInt.empty() : OptionalInt.of(workers);
    }

    /** The master's address; empty text where the session decides. */
    public String master() {
        return master == null ? "" : master;
    }

    /** The least number of members that go on. */
    public int least() {
        return min;
    }

    /** Settings of Spark for a session that is opened for the training. */
    public Map<String, String> conf() {
        return conf;
    }

    /** The times that are other than usual, in milliseconds, by the names of {@link dev.tutti.cluster.coordinator.Timeouts}. */
    public Map<String, Long> patience() {
        Map<String, Long> times = new TreeMap<>();
        if (goneAfterSeconds != null) {
            long gone = Math.max(10, Math.round(goneAfterSeconds * 1000));
            times.put("gone", gone);
            times.put("unresponsive", Math.min(2_000, gone / 2));
            times.put("heartbeat", Math.min(500, gone / 5));
        }
        if (collectiveSeconds != null) {
            times.put("collective", Math.round(collectiveSeconds * 1000));
        }
        if (startSeconds != null) {
            times.put("start", Math.round(startSeconds * 1000));
        }
        return times;
    }

    /** Whether plain connections were allowed or forbidden; null where Spark's own decide. */
    public Boolean saysPlain() {
        return plain;
    }

    /** Where people of the driver's machine look for the coordinator, or null. */
    public Path folder() {
        return folder;
    }

    @Override
    public History train(RemoteTraining training) {
        if (place != null) {
            return place.train(this, training);
        }
        if (SparkCluster.class.getResource("/org/apache/spark/sql/SparkSession.class") == null) {
            throw new TrainingException(
                    "Spark is not on the class path: ./tutti puts it there for --on and for job files"
                            + " with cluster: {type: spark, ...}; a program adds org.apache.spark:spark-mllib_2.13");
        }
        return new MasterPlace().train(this, training);
    }

    @Override
    public String toString() {
        return "spark(" + (master == null ? "" : master) + (workers == null ? "" : ", " + workers + " workers") + ")";
    }
}
