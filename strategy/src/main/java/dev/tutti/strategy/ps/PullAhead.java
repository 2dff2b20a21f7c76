package dev.tutti.strategy.ps;

import dev.tutti.array.DType;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.comm.Message;
import dev.tutti.strategy.ps.ShardRequests.Progress;
import dev.tutti.strategy.ps.ShardRequests.Pull;
import dev.tutti.strategy.ps.ShardRequests.WorkerClock;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FlatVector;
import java.util.List;

/** Pulls the next values into memory of their own while a batch is computed with the present ones. */
final class PullAhead implements AutoCloseable {
    private final ShardClient client;
    private final FlatVector vector;
    private Tensor memory; // null: to be made
    private ShardClient.Pending pending; // null: nothing is under way

    PullAhead(ShardClient client, FlatVector vector) {
        this.client = client;
        this.vector = vector;
    }

    /** Asks for values that a worker may have at a clock. */
    void begin(long atLeast, WorkerClock turn, long staleness) {
        try (Scope scope = Scope.open()) {
            if (memory == null) {
                memory = Tensor.zeros(Shape.of(vector.size()), DType.FLOAT32).retain();
            }
            pending = client.begin(ShardServer.PULL, shard -> {
                Range range = client.range(shard);
                return ShardClient.Request.of(new Pull(shard, atLeast, turn, staleness))
                        .into(memory.narrow(0, range.from(), range.length()))
                        .waiting();
            });
        }
    }

    /** Writes the values that were asked for, or asks now, into the vector; the versions of the shards. */
    long[] await(long atLeast, WorkerClock turn, long staleness) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            if (pending == null) {
                begin(atLeast, turn, staleness);
            }
            List<Message> answers = pending.await();
            pending = null;
            long[] versions = new long[answers.size()];
            for (int shard = 0; shard < versions.length; shard++) {
                versions[shard] = ShardRequests.read(answers.get(shard).head(), Progress.class)
                        .version();
            }
            vector.values().copy_(memory);
            return versions;
        }
    }

    /** What was asked for is of no use any more: an answer that is to come writes into memory that is not used again. */
    void forget() {
        pending = null;
        if (memory != null) {
            memory.close();
            memory = null;
        }
    }

    @Override
    public void close() {
        forget();
    }
}
