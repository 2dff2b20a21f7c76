package dev.tutti.strategy.allreduce;

import dev.tutti.comm.Group;
import dev.tutti.comm.Team;
import dev.tutti.json.Definition;
import dev.tutti.nn.Model;
import dev.tutti.strategy.compression.Compression;
import dev.tutti.strategy.compression.GradientSum;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.Strategy;
import dev.tutti.train.worker.LocalWorkers;

/**
 * Every batch is divided among the members; at every step they sum their gradients and make the same update. The result is that
 * of one machine with the whole batch, but for the order in which floats are added.
 */
public final class AllReduce extends Definition implements Strategy {
    private Compression compression;
    private boolean shardedState;
    private int shardCopies = 1;
    private boolean syncBatchNorm;
    private Boolean overlap; // null: where members are on several machines
    private boolean evenShares;
    private long bucketBytes = 4 << 20;

    /** Makes gradients small for the way between members, such as {@code topK(0.01)}; threads of one JVM have no need of it. */
    public AllReduce compression(Compression choice) {
        return copy(c -> c.compression = choice);
    }

    /**
     * Divides the optimizer's state among the members: each moves its part of the parameters and gives it to the others. With n
     * members each needs an n-th of the memory for it. A member that is lost takes its part along: the others then go back to
     * the newest checkpoint of the run, or fail if there is none; {@link #shardCopies} prevents that.
     */
    public AllReduce shardedState() {
        return copy(c -> c.shardedState = true);
    }

    /**
     * Lets so many members hold each part of a {@linkplain #shardedState sharded state}; 1 unless said. With 2 the loss of a member costs
     * nothing: its twin holds the same part, and moves the same parameters. Each needs twice the memory for the state, and all gradients
     * come to every member.
     */
    public AllReduce shardCopies(int members) {
        return copy(c -> c.shardCopies = members);
    }

    /**
     * Lets batch norm look at the whole batch, not at each member's share of it: for shares of few rows. Every such layer then
     * waits for all members, twice a step. Members must have one worker each.
     */
    public AllReduce syncBatchNorm() {
        return copy(c -> c.syncBatchNorm = true);
    }

    /**
     * Whether gradients travel while the backward pass still computes those of earlier layers. Unless said they do where members
     * are on several machines: on one, summing takes the cores that compute. It takes effect for members with one worker, updates
     * of one batch, and gradients that are neither compressed nor sharded.
     */
    public AllReduce overlap(boolean on) {
        return copy(c -> c.overlap = on);
    }

    /** How many bytes of gradients travel together where they {@link #overlap}; 4 MB unless said. */
    public AllReduce bucketBytes(long bytes) {
        return copy(c -> c.bucketBytes = bytes);
    }

    /**
     * Divides every batch equally, however slow a member is. Without it shares follow the members' pace, which no two runs have in
     * common: this is for runs that must be repeated to the last bit, and all wait for the slowest.
     */
    public AllReduce evenShares() {
        return copy(c -> c.evenShares = true);
    }

    boolean sharesFollowPace() {
        return !evenShares;
    }

    /** Whether gradients travel while the members of a group compute others, if their circumstances allow it. */
    boolean overlapsIn(Group group) {
        return !syncBatchNorm && group.size() > 1 && (overlap == null ? group.spansMachines() : overlap);
    }

    long bucketBytes() {
        return bucketBytes;
    }

    boolean shardsState() {
        return shardedState;
    }

    int copiesOfShards() {
        return shardCopies;
    }

    boolean sharesBatches() {
        return syncBatchNorm;
    }

    /** What is compressed on its way arrives rounded, or later. */
    @Override
    public boolean exact() {
        return compression == null;
    }

    ExchangeChoice exchanges(LocalWorkers workers, Timing timing) {
        GradientSum sum = compression == null ? GradientSum.PLAIN : compression.bind(workers.model());
        return new ExchangeChoice(this, workers, sum, timing);
    }

    @Override
    public void validate() {
        if (compression != null) {
            compression.validate();
        }
        if (shardCopies < 1) {
            throw new TrainingException("allReduce: shardCopies must be at least 1, received " + shardCopies);
        }
        if (bucketBytes < 1) {
            throw new TrainingException("allReduce: bucketBytes must be at least 1, received " + bucketBytes);
        }
    }

    @Override
    public Replica replica(Model model, TrainingConfig recipe, Team team, Timing timing) {
        validate();
        return new AllReduceReplica(this, model, recipe, team, timing);
    }

    @Override
    public String toString() {
        return "allReduce()"
                + (compression == null ? "" : ".compression(" + compression + ")")
                + (shardedState ? ".shardedState()" : "")
                + (shardCopies == 1 ? "" : ".shardCopies(" + shardCopies + ")")
                + (syncBatchNorm ? ".syncBatchNorm()" : "")
                + (overlap == null ? "" : ".overlap(" + overlap + ")")
                + (evenShares ? ".evenShares()" : "");
    }
}
