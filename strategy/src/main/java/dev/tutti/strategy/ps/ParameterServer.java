package dev.tutti.strategy.ps;

import dev.tutti.comm.Team;
import dev.tutti.json.Definition;
import dev.tutti.nn.Model;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.Strategy;
import java.time.Duration;
import java.util.Map;

/**
 * Servers hold the parameters in shards; workers pull values, compute, and push gradients, which the servers apply with the optimizer of
 * the training. Three agreements: {@link #synchronous}, the default, which equals one machine with the whole batch; {@link #staleness},
 * in which no worker is more than so many pushes ahead of the slowest; {@link #asynchronous}, in which workers do not wait.
 */
public final class ParameterServer extends Definition implements Strategy {
    private int servers = 1;
    private boolean synchronous;
    private Long staleness;
    private boolean asynchronous;
    private boolean scaleLate;
    private int pushEvery = 1;
    private int backups;
    private double patienceSeconds = 60;

    /** So many servers; 1 unless said. Of a cluster of processes so many members serve, the others train. */
    public ParameterServer servers(int count) {
        return copy(c -> c.servers = count);
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
        return isSynchronous();
    }

    @Override
    public Map<String, Integer> roles() {
        return Map.of(BackupLinks.ROLE, servers);
    }

    @Override
    public void validate() {
        require(servers >= 1, "servers: expected at least 1, received " + servers);
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
        require(
                backups >= 0 && backups < servers,
                "backups: expected from 0 to less than the number of servers, " + servers + ", received " + backups);
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
        return isSynchronous()
                ? new SynchronousReplica(this, model, recipe, team, timing)
                : new AsynchronousReplica(this, model, recipe, team, timing);
    }

    @Override
    public String toString() {
        return "parameterServer().servers(" + servers + ")"
                + (synchronous ? ".synchronous()" : "")
                + (staleness == null ? "" : ".staleness(" + staleness + ")")
                + (asynchronous ? ".asynchronous()" : "")
                + (scaleLate ? ".scaleLate()" : "")
                + (pushEvery == 1 ? "" : ".pushEvery(" + pushEvery + ")")
                + (backups == 0 ? "" : ".backups(" + backups + ")");
    }
}
