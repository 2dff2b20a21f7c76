package dev.tutti.strategy.ps;

import dev.tutti.comm.Message;
import dev.tutti.strategy.ps.ShardRequests.About;
import dev.tutti.strategy.ps.ShardRequests.Change;
import dev.tutti.strategy.ps.ShardRequests.Drop;
import dev.tutti.strategy.ps.ShardRequests.Rows;
import dev.tutti.table.RowGradients;
import dev.tutti.table.RowSource;
import dev.tutti.table.TableSpec;
import dev.tutti.table.TableState;
import dev.tutti.table.TableStore;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** A member's way to the tables on servers. Only rows that are asked for, and gradients of rows that were touched, travel. */
final class TableClient implements RowSource {
    private final ShardClient client;
    private final List<TableSpec> specs;
    private final boolean anyCopy;
    private final AtomicLong rowsRead = new AtomicLong();

    TableClient(ShardClient client, List<TableSpec> specs) {
        this(client, specs, false);
    }

    /** @param anyCopy whether backups may be asked for rows as well */
    TableClient(ShardClient client, List<TableSpec> specs, boolean anyCopy) {
        this.anyCopy = anyCopy;
        this.client = client;
        this.specs = List.copyOf(specs);
    }

    /** Rows that were read so far. */
    long rowsRead() {
        return rowsRead.get();
    }

    /** Ids by shard, and where each of them was. */
    private final class Split {
        private final int[] shardOf;
        private final int[] counts = new int[client.shards()];

        Split(long[] ids) {
            shardOf = new int[ids.length];
            for (int i = 0; i < ids.length; i++) {
                shardOf[i] = ShardTables.shardOf(ids[i], counts.length);
                counts[shardOf[i]]++;
            }
        }

        long[] ids(int shard, long[] all) {
            long[] own = new long[counts[shard]];
            int next = 0;
            for (int i = 0; i < all.length; i++) {
                if (shardOf[i] == shard) {
                    own[next] = all[i];
                    next++;
                }
            }
            return own;
        }
    }

    @Override
    public float[] read(TableSpec table, long[] ids) {
        Split split = new Split(ids);
        int width = table.width();
        float[] out = new float[Math.multiplyExact(ids.length, width)];
        rowsRead.addAndGet(ids.length);
        try (Scope scope = Scope.open()) {
            List<Message> answers = client.all(
                    ShardServer.ROWS,
                    shard -> split.counts[shard] == 0
                            ? null
                            : ShardClient.Request.of(
                                            new Rows(shard, table.name()),
                                            Tensor.of(split.ids(shard, ids), split.counts[shard]))
                                    .byAnyCopy(anyCopy));
            float[][] parts = new float[answers.size()][];
            for (int shard = 0; shard < parts.length; shard++) {
                if (answers.get(shard) != null) {
                    try (Message answer = answers.get(shard)) {
                        parts[shard] = answer.body().get(0).toArray().floats();
                    }
                }
            }
            int[] next = new int[parts.length];
            for (int i = 0; i < ids.length; i++) {
                int shard = split.shardOf[i];
                System.arraycopy(parts[shard], next[shard], out, i * width, width);
                next[shard] += width;
            }
        }
        return out;
    }

    /** The gradients of each shard's rows. */
    List<RowGradients> split(RowGradients gradients) {
        List<RowGradients> parts = new ArrayList<>();
        for (int shard = 0; shard < client.shards(); shard++) {
            parts.add(new RowGradients());
        }
        for (TableSpec spec : specs) {
            RowGradients.Part all = gradients.of(spec.name());
            if (all.ids().length == 0) {
                continue;
            }
            Split split = new Split(all.ids());
            for (int shard = 0; shard < parts.size(); shard++) {
                if (split.counts[shard] > 0) {
                    parts.get(shard)
                            .add(spec.name(), spec.width(), split.ids(shard, all.ids()), rows(split, shard, all, spec));
                }
            }
        }
        return parts;
    }

    private static float[] rows(Split split, int shard, RowGradients.Part all, TableSpec spec) {
        int width = spec.width();
        float[] own = new float[split.counts[shard] * width];
        int next = 0;
        for (int i = 0; i < split.shardOf.length; i++) {
            if (split.shardOf[i] == shard) {
                System.arraycopy(all.values(), i * width, own, next, width);
                next += width;
            }
        }
        return own;
    }

    /** A shard's part of tables that are in this process; tensors are added to a body and belong to the open scope. */
    List<ShardTables.Head> part(TableStore store, int shard, List<Tensor> body) {
        List<ShardTables.Head> heads = new ArrayList<>();
        for (TableSpec spec : specs) {
            TableState all = store.state(spec.name());
            long[] ids = all.tensors().get(TableState.IDS).toArray().longs();
            Split split = new Split(ids);
            if (split.counts[shard] == 0) {
                heads.add(new ShardTables.Head(spec, all.clock(), all.counters(), List.of()));
                continue;
            }
            long[] places = new long[split.counts[shard]];
            int next = 0;
            for (int i = 0; i < ids.length; i++) {
                if (split.shardOf[i] == shard) {
                    places[next] = i;
                    next++;
                }
            }
            Tensor chosen = Tensor.of(places, places.length);
            Map<String, Tensor> tensors = new LinkedHashMap<>();
            all.tensors().forEach((name, tensor) -> tensors.put(name, tensor.at(chosen)));
            TableState own = new TableState(all.clock(), all.counters(), tensors);
            heads.add(ShardTables.Head.of(spec, own));
            body.addAll(tensors.values());
        }
        return heads;
    }

    /** Takes all rows of all shards over into this process, in place of those that were there. */
    void gather(TableStore store) {
        if (specs.isEmpty()) {
            return;
        }
        try (Scope scope = Scope.open()) {
            List<Message> answers = client.all(ShardServer.STATE, shard -> ShardClient.Request.of(new About(shard)));
            store.clear();
            for (Message message : answers) {
                try (Message answer = message) {
                    restore(store, answer);
                }
            }
        }
    }

    /** Takes over the rows of one shard's snapshot. */
    static void restore(TableStore store, Message answer) {
        ShardSnapshot snapshot = ShardRequests.read(answer.head(), ShardSnapshot.class);
        int at = snapshot.tablesAt();
        for (ShardTables.Head head : snapshot.tables()) {
            Map<String, Tensor> tensors = new LinkedHashMap<>();
            for (String name : head.tensors()) {
                tensors.put(name, answer.body().get(at));
                at++;
            }
            if (!tensors.isEmpty()) {
                store.restore(head.spec().name(), new TableState(head.clock(), head.counters(), tensors));
            }
        }
    }

    /** Lets rows go on all servers; see {@link dev.tutti.table.RowTable#drop}. */
    void drop(String worker, long sequence, String table, int age, int fewerThan) {
        client.tell(
                BackupLinks.topic(Change.DROP),
                shard -> ShardClient.Request.of(new Drop(shard, worker, sequence, table, age, fewerThan)));
    }
}
