package dev.tutti.strategy.ps;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tutti.array.Range;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageRefusedException;
import dev.tutti.json.Json;
import dev.tutti.strategy.ps.SnapshotGate.CutMarks;
import dev.tutti.tensor.Tensor;
import java.io.IOException;
import java.util.List;

/** What workers ask of a shard: the heads of messages, written as JSON. Gradients and values are in the bodies. */
final class ShardRequests {
    /** Requests that change a shard: a primary forwards them to its backups in the order in which it carries them out. */
    enum Change {
        STORE,
        COMMIT,
        PUSH,
        REPORT,
        DROP,
        SETTLE
    }

    private ShardRequests() {}

    /**
     * What the body of a push holds, in this order.
     *
     * @param dense tensors of the gradients of the shard's range: 0, 1, or 2 where they are places and values
     * @param tables tables of which rows follow, two tensors for each
     * @param entry whether an entry for the board is the last tensor
     */
    record Contents(int dense, List<String> tables, boolean entry) {
        static final Contents NOTHING = new Contents(0, List.of(), false);
        static final Contents GRADIENTS = new Contents(1, List.of(), false);
    }

    /**
     * Keeps the gradients of one worker for a synchronous step; the body is the gradients.
     *
     * @param generation the group of the workers
     * @param step the number of the step
     * @param rank of the worker in its group
     */
    record Store(int shard, long generation, long step, int rank, Contents contents) {}

    /**
     * Applies the gradients of a synchronous step, once.
     *
     * @param ranks whose gradients are summed, in this order
     * @param factor what their sum is multiplied by
     * @param clipScale what the sum is multiplied by afterwards so that its length over all shards keeps within its limit; 1 for
     *     nothing
     * @param trainable the stretches of the whole vector that learn
     * @param values whether the answer has the new values
     */
    record Commit(
            int shard,
            long generation,
            long step,
            List<Integer> ranks,
            double rate,
            double factor,
            double clipScale,
            List<Range> trainable,
            boolean values) {
        /** The same for another shard. */
        Commit on(int other) {
            return new Commit(other, generation, step, ranks, rate, factor, clipScale, trainable, values);
        }
    }

    /**
     * Applies the gradients of one worker at once. A worker that is done with its data pushes nothing.
     *
     * @param worker whose gradients they are
     * @param sequence its number of this push: one that was applied before is not applied again
     * @param base the version of the values that the gradients belong to
     * @param scaleLate whether gradients are divided by one more than the updates since then
     * @param turn the worker's place in the epoch
     * @param quorum 0 for gradients that are applied at once; else so many pushes of one version make an update, of their mean, and those of an
     *     earlier version come too late and are dropped; {@link #KEPT} for gradients that wait until the first shard has decided
     * @param from the first entry of the board that the worker has not counted; the answer has them where an entry is pushed
     * @param staleness the answer has the new values if the worker is at most so many clocks ahead of the slowest; {@link #NO_VALUES} for
     *     none
     */
    record Push(
            int shard,
            String worker,
            long sequence,
            long base,
            double rate,
            boolean scaleLate,
            List<Range> trainable,
            WorkerClock turn,
            Contents contents,
            long from,
            int quorum,
            long staleness) {
        static final int KEPT = -1;
        static final long NO_VALUES = -1;

        /** What it is called among those of one update. */
        String name() {
            return worker + " " + sequence;
        }
    }

    /**
     * The answer to a push; its body is the new values, or nothing where the worker may not have them yet.
     *
     * @param version updates that the shard has applied
     * @param late whether the push came too late for its update
     * @param entries of the board, as {@link EntryLog#from} packs them; null if they are too many for a head and have to be asked for
     */
    record Pushed(long version, boolean late, long[] entries) {
        /** The most numbers of entries in a head. */
        static final int MOST_NUMBERS = 8192;
    }

    /**
     * An update by the mean of the pushes that came first, as the first shard has decided it.
     *
     * @param version of the shards after it
     * @param pushes their names, in the order of their sum
     */
    record QuorumUpdate(long version, List<String> pushes, double rate, List<Range> trainable) {}

    /** Makes the update that the first shard has made, once. */
    record Settle(int shard, QuorumUpdate update) {}

    /**
     * Asks for values, when the worker may have them.
     *
     * @param atLeast the least number of updates that they have to contain
     * @param turn null where nothing has to be waited for
     * @param staleness the most clocks that a worker may be ahead of the slowest
     */
    record Pull(int shard, long atLeast, WorkerClock turn, long staleness) {}

    /**
     * Where a worker stands.
     *
     * @param round how often the workers of the group have opened their feeds: between two of these a worker is done once
     * @param workers how many there are
     * @param clock pushes of this worker in the round so far; {@link StalenessClocks#DONE} if none will follow
     */
    record WorkerClock(long generation, int round, int workers, int rank, long clock) {}

    /** Asks for the squared length of the sum of a step's gradients, times a factor. */
    record Length(int shard, long generation, long step, List<Integer> ranks, double factor) {
        /** The same for another shard. */
        Length on(int other) {
            return new Length(other, generation, step, ranks, factor);
        }
    }

    /**
     * Adds an entry to the board; the body is the entry. The answer has the entries from {@code from} on.
     *
     * @param sequence the worker's number of the entry
     */
    record Entry(int shard, String worker, long sequence, long from, WorkerClock turn) {}

    /**
     * Asks for the entries from a number on.
     *
     * @param awaited null, or the round whose end is waited for: the answer comes when all workers of the group are done with it
     */
    record Look(int shard, long from, WorkerClock awaited) {}

    /** Asks for rows of a table; the body is the ids. */
    record Rows(int shard, String table) {}

    /**
     * Lets rows of a table go, once.
     *
     * @param age those that were not changed by the last so many changes; 0 for any age
     * @param fewerThan those that were changed fewer times; 0 for any number
     */
    record Drop(int shard, String worker, long sequence, String table, int age, int fewerThan) {}

    /** Lets changes wait until the {@link Cut} of the same name. */
    record Hold(int shard, String cut) {}

    /** What a shard has whose changes wait. */
    record HeldBack(CutMarks marks, long version) {}

    /**
     * Copies the shard when it has what belongs to a snapshot, lets changes go on, and writes the copy to a file; the answer is the {@link
     * dev.tutti.train.checkpoint.SnapshotFolder.Part} that was written.
     *
     * @param upTo what belongs to the snapshot
     * @param version the snapshot's, for the names of its files
     */
    record Cut(int shard, String cut, CutMarks upTo, String folder, long version) {}

    /** What is asked of a shard as a whole: its state, or how far it is. */
    record About(int shard) {}

    /**
     * How far a shard is.
     *
     * @param version updates that were applied
     * @param lastCommit the synchronous step that was applied last; null if there was none
     * @param lastQuorum the update by the first pushes that was made last; null if there was none
     */
    record Progress(long version, Commit lastCommit, QuorumUpdate lastQuorum) {}

    /** The shard that a head is about. */
    static int shard(byte[] head) {
        try {
            return Json.json().readTree(head).path("shard").asInt(-1);
        } catch (IOException e) {
            throw new MessageRefusedException(ParameterShard.OUT_OF_STEP, "expected a head in JSON: " + e.getMessage());
        }
    }

    static Message message(Object head, Tensor... body) {
        return Message.of(Json.write(head).getBytes(UTF_8), body);
    }

    static <T> T read(byte[] head, Class<T> type) {
        return Json.read(new String(head, UTF_8), type, "a request to a parameter server");
    }
}
