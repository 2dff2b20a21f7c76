package dev.tutti.strategy.ps;

import dev.tutti.comm.Team;
import dev.tutti.json.Definition;
import dev.tutti.nn.Model;
import dev.tutti.strategy.compression.Compression;
import dev.tutti.strategy.compression.GradientEncoder;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.LocalReplica;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Servers hold the parameters in shards; workers pull values, compute, and push gradients, which the servers apply with the optimizer of
 * the training. Three agreements: {@link #synchronous}, the default, which equals one machine with the whole batch; {@link #staleness},
 * in which no worker is more than so many pushes ahead of the slowest; {@link #asynchronous}, in which workers do not wait.
 */
public final class ParameterServer extends Definition implements Strategy {
    /** The setting by which the bound is changed while training runs. */
    static final String STALENESS = "staleness";

    private static final int MOST_SHARDS = 256;
    private static final Logger LOG = LoggerFactory.getLogger(ParameterServer.class);

    private int servers = 1;
    private Integer shards;
    private Map<String, Integer> pin = Map.of();
    private boolean synchronous;
    private Long staleness;
    private boolean asynchronous;
    private boolean scaleLate;
    private int pushEvery = 1;
    private int backups;
    private double patienceSeconds = 60;
    private boolean gatherTables = true;
    private boolean pipelined;
    private Compression compression;
    private boolean readCopies;
    private int backupWorkers;
    private String snapshots;
    private double snapshotSeconds = 60;

    /** So many servers; 1 unless said. Of a cluster of processes so many members serve, the others train. */
    public ParameterServer servers(int count) {
        return copy(c -> c.servers = count);
    }

    /**
     * So many shards; as many as servers unless said. With more of them than servers, those that join get some, and a server that is busy
     * for most of its time gives some away.
     */
    public ParameterServer shards(int count) {
        return copy(c -> c.shards = count);
    }

    int shards() {
        return shards == null ? servers : shards;
    }

    /**
     * Keeps parameters on a server, by their names.
     *
     * @param pattern a name in which {@code *} stands for any text; of several patterns the first that fits counts
     * @param server counted from 0 in the order of joining
     */
    public ParameterServer pin(String pattern, int server) {
        return copy(c -> {
            Map<String, Integer> more = new LinkedHashMap<>(pin);
            more.put(pattern, server);
            c.pin = more;
        });
    }

    /** How the vector of a model is divided. */
    ShardPlacement layout(Model model) {
        return ShardPlacement.of(
                model.vector().size(), shards(), LocalReplica.target(model).parameters(), pin);
    }

    /** All workers push their part of a batch, then all get the new values. */
    public ParameterServer synchronous() {
        return copy(c -> {
            c.synchronous = true;
            c.asynchronous = false;
            c.staleness = null;
        });
    }

    /** Each worker pushes its own batches; none begins one while it is more than so many pushes ahead of the slowest. */
    public ParameterServer staleness(long clocks) {
        return copy(c -> {
            c.synchronous = false;
            c.asynchronous = false;
            c.staleness = clocks;
        });
    }

    /** Each worker pushes its own batches and waits for no other. */
    public ParameterServer asynchronous() {
        return copy(c -> {
            c.synchronous = false;
            c.asynchronous = true;
            c.staleness = null;
        });
    }

    /** Divides a gradient by one more than the updates that were applied since its values were pulled. */
    public ParameterServer scaleLate() {
        return copy(c -> c.scaleLate = true);
    }

    /** A worker pushes the mean gradient of so many batches; 1 unless said. Not for the synchronous agreement. */
    public ParameterServer pushEvery(int batches) {
        return copy(c -> c.pushEvery = batches);
    }

    /** So many copies of each shard on other servers: a push is acknowledged when they have it. 0 unless said. */
    public ParameterServer backups(int copies) {
        return copy(c -> c.backups = copies);
    }

    /** How long a worker waits for servers, and for the slowest worker, before it gives up; 60 s unless said. */
    public ParameterServer patience(Duration wait) {
        return copy(c -> c.patienceSeconds = wait.toMillis() / 1e3);
    }

    /**
     * Whether checkpoints and saved models hold the rows of tables, which the first worker reads from all servers for it; true unless said.
     * If not, the rows are on the servers alone.
     */
    public ParameterServer gatherTables(boolean on) {
        return copy(c -> c.gatherTables = on);
    }

    /**
     * Asks for the next values while a batch is computed. They do not have this worker's own last push, so a worker alone does not equal
     * local training any more. Not for the synchronous agreement.
     */
    public ParameterServer pipelined() {
        return copy(c -> c.pipelined = true);
    }

    /** Makes gradients smaller for the way to the servers; those of table rows travel as they are. */
    public ParameterServer compression(Compression choice) {
        return copy(c -> c.compression = choice);
    }

    /**
     * So many workers more than an update needs, in the synchronous agreement: an update is the mean of the first pushes of all
     * other workers; later ones are dropped, and their rows are computed again with the new values. Each worker has batches of its own then.
     */
    public ParameterServer backupWorkers(int count) {
        return copy(c -> c.backupWorkers = count);
    }

    /**
     * Servers write snapshots of all shards into a folder that all members see, in the background, so often. When all copies of a shard are
     * lost, training goes on from the newest one, and the updates since then are lost.
     */
    public ParameterServer snapshots(Path folder, Duration every) {
        return copy(c -> {
            c.snapshots = folder.toAbsolutePath().toString();
            c.snapshotSeconds = every.toMillis() / 1e3;
        });
    }

    boolean hasSnapshots() {
        return snapshots != null;
    }

    Path snapshotFolder() {
        return Path.of(snapshots).toAbsolutePath();
    }

    double snapshotSeconds() {
        return snapshotSeconds;
    }

    boolean hasBackupWorkers() {
        return backupWorkers > 0;
    }

    /** Pushes that make an update; 0 where each makes one, or all are agreed on. */
    int quorum(int workers) {
        return backupWorkers == 0 ? 0 : Math.max(1, workers - backupWorkers);
    }

    /** Lets backups answer pulls as well, each worker another one: they have all that was acknowledged. */
    public ParameterServer readCopies() {
        return copy(c -> c.readCopies = true);
    }

    boolean readsCopies() {
        return readCopies;
    }

    boolean gathersTables() {
        return gatherTables;
    }

    boolean isPipelined() {
        return pipelined;
    }

    GradientEncoder encoder() {
        return compression == null ? GradientEncoder.NONE : compression.encoder();
    }

    @Override
    public boolean trainsTables() {
        return true;
    }

    int servers() {
        return servers;
    }

    int backups() {
        return backups;
    }

    int pushEvery() {
        return pushEvery;
    }

    boolean scalesLate() {
        return scaleLate;
    }

    Duration patience() {
        return Duration.ofMillis(Math.round(patienceSeconds * 1000));
    }

    /** What was set, or the former bound where it is not a number of 0 or more. */
    static long staleness(String set, long otherwise) {
        try {
            long clocks = Long.parseLong(set);
            if (clocks >= 0) {
                return clocks;
            }
        } catch (NumberFormatException e) {
            LOG.debug("no number", e);
        }
        LOG.warn("staleness: expected a whole number of 0 or more, received '{}'; {} stays", set, otherwise);
        return otherwise;
    }

    /** The most pushes that a worker may be ahead of the slowest. */
    long mostAhead() {
        return asynchronous || staleness == null ? Long.MAX_VALUE : staleness;
    }

    private boolean isSynchronous() {
        return !asynchronous && staleness == null;
    }

    /** Workers that do not wait for each other come to another result every time. */
    @Override
    public boolean exact() {
        return isSynchronous() && compression == null && backupWorkers == 0;
    }

    @Override
    public Map<String, Integer> roles() {
        return Map.of(BackupLinks.ROLE, servers);
    }

    @Override
    public void validate() {
        require(servers >= 1, "servers: expected at least 1, received " + servers);
        require(
                shards() >= servers && shards() <= MOST_SHARDS,
                "shards: expected from the number of servers, " + servers + ", to " + MOST_SHARDS + ", received "
                        + shards);
        pin.forEach((pattern, server) -> require(
                server >= 0 && server < servers,
                "pin: expected a server from 0 to " + (servers - 1) + " for '" + pattern + "', received " + server));
        require(
                (synchronous ? 1 : 0) + (asynchronous ? 1 : 0) + (staleness == null ? 0 : 1) <= 1,
                "expected one of synchronous, staleness and asynchronous, received " + this);
        require(staleness == null || staleness >= 0, "staleness: expected 0 or more, received " + staleness);
        require(pushEvery >= 1, "pushEvery: expected at least 1, received " + pushEvery);
        require(
                pushEvery == 1 || !isSynchronous(),
                "pushEvery: a synchronous step pushes once, received " + pushEvery
                        + "; let an update take several batches (accumulate), or choose staleness or asynchronous");
        require(!scaleLate || !isSynchronous(), "scaleLate: no gradient of a synchronous step is late");
        require(!pipelined || !isSynchronous(), "pipelined: a synchronous step needs the values of the step before it");
        if (compression != null) {
            compression.validate();
            require(
                    !compression.encoder().remembers() || !isSynchronous(),
                    "compression: a synchronous step may be repeated, which " + compression
                            + " does not know of: expected fp16() or bf16(), or staleness or asynchronous");
        }
        require(
                backups >= 0 && backups < servers,
                "backups: expected from 0 to less than the number of servers, " + servers + ", received " + backups);
        require(backupWorkers >= 0, "backupWorkers: expected 0 or more, received " + backupWorkers);
        require(
                backupWorkers == 0 || isSynchronous(),
                "backupWorkers: expected the synchronous agreement, received " + this);
        require(
                backupWorkers == 0 || snapshots == null || shards() == 1 && pin.isEmpty(),
                "backupWorkers: expected one server and one shard, or no snapshots, received " + this);
        require(
                snapshots == null || !snapshots.isBlank(),
                "snapshots: expected a folder that all members see, received '" + snapshots + "'");
        require(snapshotSeconds > 0, "snapshotSeconds: expected more than 0, received " + snapshotSeconds);
        require(patienceSeconds > 0, "patienceSeconds: expected more than 0, received " + patienceSeconds);
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new TrainingException("parameterServer: " + message);
        }
    }

    @Override
    public Replica replica(Model model, TrainingConfig recipe, Team team, Timing timing) {
        validate();
        return isSynchronous() && backupWorkers == 0
                ? new SynchronousReplica(this, model, recipe, team, timing)
                : new AsynchronousReplica(this, model, recipe, team, timing);
    }

    @Override
    public String toString() {
        return "parameterServer().servers(" + servers + ")"
                + (shards == null ? "" : ".shards(" + shards + ")")
                + pin.entrySet().stream()
                        .map(each -> ".pin(\"" + each.getKey() + "\", " + each.getValue() + ")")
                        .collect(Collectors.joining())
                + (synchronous ? ".synchronous()" : "")
                + (staleness == null ? "" : ".staleness(" + staleness + ")")
                + (asynchronous ? ".asynchronous()" : "")
                + (scaleLate ? ".scaleLate()" : "")
                + (pushEvery == 1 ? "" : ".pushEvery(" + pushEvery + ")")
                + (backups == 0 ? "" : ".backups(" + backups + ")")
                + (pipelined ? ".pipelined()" : "")
                + (readCopies ? ".readCopies()" : "")
                + (backupWorkers == 0 ? "" : ".backupWorkers(" + backupWorkers + ")")
                + (snapshots == null ? "" : ".snapshots(" + snapshots + ", " + snapshotSeconds + " s)")
                + (compression == null ? "" : ".compression(" + compression + ")");
    }
}
