package dev.tutti.strategy.ps;

import dev.tutti.comm.Message;
import dev.tutti.comm.Team;
import dev.tutti.strategy.ps.ShardRequests.Change;
import dev.tutti.strategy.ps.ShardRequests.Entry;
import dev.tutti.strategy.ps.ShardRequests.Look;
import dev.tutti.strategy.ps.ShardRequests.WorkerClock;
import dev.tutti.strategy.ps.board.BoardEntry;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.List;

/** A worker's way to the board of all workers, which is kept with the first shard. */
final class BoardReader {
    /** The shard that the board is kept with. */
    static final int SHARD = 0;

    private final ShardClient client;
    private final Team team;
    private long sequence;

    BoardReader(ShardClient client, Team team) {
        this.client = client;
        this.team = team;
    }

    /** Adds an entry; returns those that this worker has not counted yet, with its own. */
    List<BoardEntry> report(BoardEntry entry, long counted, WorkerClock turn) {
        sequence++;
        long[] numbers = entry.numbers();
        try (Scope scope = Scope.open()) {
            Entry head = new Entry(SHARD, team.messages().self().id(), sequence, counted, turn);
            return entries(client.one(
                    SHARD,
                    BackupLinks.topic(Change.REPORT),
                    ShardClient.Request.of(head, Tensor.of(numbers, numbers.length))));
        }
    }

    /** The entries that this worker has not counted yet. */
    List<BoardEntry> peek(long counted) {
        return look(new Look(SHARD, counted, null));
    }

    /** The same, when all workers are done with the epoch. */
    List<BoardEntry> awaitAll(long counted, WorkerClock turn) {
        return look(new Look(SHARD, counted, turn));
    }

    private List<BoardEntry> look(Look look) {
        try (Scope scope = Scope.open()) {
            ShardClient.Request request = ShardClient.Request.of(look);
            return entries(client.one(SHARD, ShardServer.LOOK, look.awaited() == null ? request : request.waiting()));
        }
    }

    static List<BoardEntry> entries(Message answer) {
        try (answer) {
            return EntryLog.unpack(answer.body().get(0).toArray().longs());
        }
    }
}
