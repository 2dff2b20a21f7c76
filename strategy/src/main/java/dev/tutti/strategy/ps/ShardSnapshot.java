package dev.tutti.strategy.ps;

import dev.tutti.array.NamedRange;
import dev.tutti.array.Range;
import dev.tutti.comm.Message;
import dev.tutti.optim.Optimizer;
import dev.tutti.strategy.ps.ShardRequests.Contents;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All of a shard: what a worker sets it up from, and what a backup begins with. The head is written as JSON; values, optimizer state and
 * gradients that wait for their step are the tensors behind it, in the order of the head.
 *
 * @param shard its number
 * @param range its part of the whole vector
 * @param parameters the names of the whole vector's parameters, for settings that go by name
 * @param backups how many copies there should be beside the primary's
 * @param version updates that were applied
 * @param index changes that were carried out
 * @param states the names of the optimizer's state, in the order of their tensors
 * @param stored whose gradients of the step under way are there, in the order of their tensors
 * @param lastCommit the synchronous step that was applied last; null if there was none
 * @param sequences the last push and the last entry of each worker
 * @param storedContents tables whose rows are stored, for each of {@code stored}
 * @param pending pushes that were accepted for an update which waits for more of them
 * @param pendingNames their names
 * @param lastQuorum the update by the first pushes that was made last; null if there was none
 * @param tables the shard's part of the tables
 * @param policy what servers do with it of their own accord
 */
record ShardSnapshot(
        int shard,
        Range range,
        List<NamedRange> parameters,
        Optimizer optimizer,
        int backups,
        long version,
        long index,
        long entries,
        List<String> states,
        long storedGeneration,
        long storedStep,
        List<Integer> stored,
        ShardRequests.Commit lastCommit,
        Map<String, Long> sequences,
        long[] clocks,
        long[] board,
        List<Contents> storedContents,
        List<Contents> pending,
        List<String> pendingNames,
        ShardRequests.QuorumUpdate lastQuorum,
        List<ShardTables.Head> tables,
        ShardPolicy policy) {
    /**
     * What servers do with a shard of their own accord.
     *
     * @param shards how many shards the vector has
     * @param pinned whether it stays on its server
     * @param folder where snapshots of all shards are written; empty for none
     * @param seconds between two snapshots
     * @param run tells the snapshots of this training from others in the same folder
     */
    record ShardPolicy(int shards, boolean pinned, String folder, double seconds, String run) {
        static final ShardPolicy NONE = new ShardPolicy(0, false, "", 0, "");

        boolean hasSnapshots() {
            return !folder.isEmpty();
        }

        /** The same for a shard that is pinned, or not. */
        ShardPolicy pinned(boolean on) {
            return new ShardPolicy(shards, on, folder, seconds, run);
        }
    }

    ShardSnapshot {
        policy = policy == null ? ShardPolicy.NONE : policy;
        pendingNames = pendingNames == null ? List.of() : pendingNames;
    }

    /** How the names of shards begin in the table of who holds what. */
    static final String THINGS = "parameters-";

    /** A shard that no worker has pushed to. */
    static ShardSnapshot first(
            int shard,
            Range range,
            List<NamedRange> parameters,
            Optimizer optimizer,
            int backups,
            long version,
            long entries,
            List<String> states,
            List<ShardTables.Head> tables) {
        return new ShardSnapshot(
                shard,
                range,
                parameters,
                optimizer,
                backups,
                version,
                0,
                entries,
                states,
                -1,
                -1,
                List.of(),
                null,
                Map.of(),
                null,
                null,
                List.of(),
                List.of(),
                List.of(),
                null,
                tables,
                ShardPolicy.NONE);
    }

    /** The same with something for servers to do of their own accord. */
    ShardSnapshot policy(ShardPolicy next) {
        return new ShardSnapshot(
                shard,
                range,
                parameters,
                optimizer,
                backups,
                version,
                index,
                entries,
                states,
                storedGeneration,
                storedStep,
                stored,
                lastCommit,
                sequences,
                clocks,
                board,
                storedContents,
                pending,
                pendingNames,
                lastQuorum,
                tables,
                next);
    }

    /** The shard's name in the table of who holds what. */
    static String thing(int shard) {
        return THINGS + shard;
    }

    /** The names of parameters as they lie in the shard; those outside keep their names and have no elements. */
    List<NamedRange> localParameters() {
        List<NamedRange> local = new ArrayList<>();
        for (NamedRange parameter : parameters) {
            local.add(new NamedRange(parameter.name(), local(parameter.range())));
        }
        return local;
    }

    /** A stretch of the whole vector as a stretch of the shard. */
    Range local(Range stretch) {
        Range common = range.intersect(stretch);
        return common.isEmpty() ? new Range(0, 0) : new Range(common.from() - range.from(), common.length());
    }

    Tensor values(Message message) {
        return message.body().get(0);
    }

    Map<String, Tensor> states(Message message) {
        Map<String, Tensor> byName = new LinkedHashMap<>();
        for (int i = 0; i < states.size(); i++) {
            byName.put(states.get(i), message.body().get(1 + i));
        }
        return byName;
    }

    Tensor stored(Message message, int place) {
        return message.body().get(1 + states.size() + place);
    }

    /** The rows that are stored for a step, as the body of a push of nothing else. */
    Message storedRows(Message message, int place) {
        int from = 1 + states.size() + stored.size();
        for (int i = 0; i < place; i++) {
            from += 2 * storedContents.get(i).tables().size();
        }
        int count = 2 * storedContents.get(place).tables().size();
        return new Message(0, 0, new byte[0], message.body().subList(from, from + count));
    }

    /** Where the tensors of the tables begin. */
    int tablesAt() {
        return pendingAt() + PendingPushes.tensors(pending);
    }

    /** Where the tensors of pending pushes begin. */
    int pendingAt() {
        return 1
                + states.size()
                + stored.size()
                + storedContents.stream()
                        .mapToInt(each -> 2 * each.tables().size())
                        .sum();
    }
}
