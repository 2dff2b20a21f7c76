package dev.tutti.strategy.ps;

import dev.tutti.comm.Message;
import dev.tutti.strategy.ps.ShardRequests.Change;
import dev.tutti.strategy.ps.ShardRequests.Commit;
import dev.tutti.strategy.ps.ShardRequests.Drop;
import dev.tutti.strategy.ps.ShardRequests.Push;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Lets changes of a shard wait while the servers agree where a snapshot is cut: all changes until the marks are known, then those behind
 * them. The caller holds the shard's lock.
 */
final class SnapshotGate {
    /**
     * Where shards are cut for a snapshot: after the same pushes of each worker, and after the same synchronous step. Every push goes to all
     * shards, so one that a shard has will come to the others.
     *
     * @param sequences the last change of each worker that belongs to the snapshot, by the names that a shard keeps them under
     * @param commits synchronous steps that belong to it; 0 where there are none
     */
    record CutMarks(Map<String, Long> sequences, long commits) {
        CutMarks {
            sequences = Map.copyOf(sequences);
        }

        /** What all of them have together. */
        static CutMarks furthest(List<CutMarks> all) {
            Map<String, Long> sequences = new TreeMap<>();
            long commits = 0;
            for (CutMarks each : all) {
                each.sequences.forEach((name, number) -> sequences.merge(name, number, Math::max));
                commits = Math.max(commits, each.commits);
            }
            return new CutMarks(sequences, commits);
        }

        /** Whether a shard with these marks has all that belongs to the snapshot. */
        boolean isReachedBy(CutMarks shard) {
            return shard.commits >= commits
                    && sequences.entrySet().stream()
                            .allMatch(each -> shard.sequences.getOrDefault(each.getKey(), 0L) >= each.getValue());
        }

        /** Whether a change belongs to the snapshot. */
        boolean includes(Change change, byte[] head) {
            return switch (change) {
                case PUSH -> {
                    Push push = ShardRequests.read(head, Push.class);
                    yield has(ParameterShard.pushKey(push.worker()), push.sequence());
                }
                case DROP -> {
                    Drop drop = ShardRequests.read(head, Drop.class);
                    yield has(ParameterShard.dropKey(drop.worker()), drop.sequence());
                }
                case COMMIT -> ShardRequests.read(head, Commit.class).step() < commits;
                case STORE, REPORT, SETTLE ->
                    true; // no values follow from them; several shards that settle have no snapshots
            };
        }

        private boolean has(String key, long sequence) {
            return sequences.getOrDefault(key, 0L) >= sequence;
        }
    }

    /** A change that waits. */
    record Held(
            Change change,
            Message message,
            Function<ParameterShard, Message> answer,
            CompletableFuture<Message> done) {}

    private static final CutMarks NOTHING_BUT_KNOWN = new CutMarks(Map.of(), 0);

    private final List<Held> held = new ArrayList<>();
    private String cut = ""; // the snapshot under way
    private CutMarks upTo = NOTHING_BUT_KNOWN;

    /** A snapshot begins; one that was under way is given up. */
    void close(String name, CutMarks have) {
        if (!cut.equals(name)) {
            cut = name;
            upTo = have;
        }
    }

    /** Whether this snapshot is the one under way. */
    boolean isOf(String name) {
        return cut.equals(name);
    }

    boolean mustWait(Change change, Message message) {
        return !cut.isEmpty() && !upTo.includes(change, message.head());
    }

    CompletableFuture<Message> hold(Change change, Message message, Function<ParameterShard, Message> answer) {
        CompletableFuture<Message> done = new CompletableFuture<>();
        held.add(new Held(change, message, answer, done));
        return done;
    }

    /** The marks are known: takes out what need not wait any more. */
    List<Held> open(CutMarks marks) {
        upTo = marks;
        List<Held> free = held.stream()
                .filter(each -> marks.includes(each.change(), each.message().head()))
                .toList();
        held.removeAll(free);
        return free;
    }

    /** The snapshot is over: takes out all that waits; nothing if it is not the one under way. */
    List<Held> end(String name) {
        if (!cut.equals(name)) {
            return List.of();
        }
        return end();
    }

    List<Held> end() {
        cut = "";
        List<Held> free = List.copyOf(held);
        held.clear();
        return free;
    }
}
