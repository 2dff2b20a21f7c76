package dev.tutti.strategy.ps;

import dev.tutti.comm.Message;
import dev.tutti.comm.MessageRefusedException;
import dev.tutti.optim.Clipping;
import dev.tutti.optim.Optimizer;
import dev.tutti.strategy.ps.ShardRequests.Contents;
import dev.tutti.table.IdHash;
import dev.tutti.table.RowGradients;
import dev.tutti.table.TableSpec;
import dev.tutti.table.TableState;
import dev.tutti.table.TableStore;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A shard's part of the tables: the rows whose ids fall to it. */
final class ShardTables implements AutoCloseable {
    /** Tells the hash by which rows fall to shards from the one by which a shard finds them. */
    private static final long SALT = 0x2545F4914F6CDD1DL;

    private final TableStore store;

    ShardTables(List<TableSpec> specs, Optimizer optimizer, List<String> parameters) {
        store = new TableStore(specs);
        store.bind(optimizer, parameters);
    }

    /** The shard that the row of an id falls to. */
    static int shardOf(long id, int shards) {
        return (int) IdHash.bucket(id ^ SALT, shards);
    }

    /**
     * A table in the head of a snapshot; its tensors are in the body.
     *
     * @param clock changes of the table
     * @param tensors their names, in the order of the body
     */
    record Head(TableSpec spec, long clock, Map<String, Double> counters, List<String> tensors) {
        static Head of(TableSpec spec, TableState state) {
            return new Head(
                    spec,
                    state.clock(),
                    state.counters(),
                    List.copyOf(state.tensors().keySet()));
        }
    }

    /** Takes the rows over that lie in a message behind a number of other tensors. */
    void restore(List<Head> heads, Message message, int from) {
        int at = from;
        for (Head head : heads) {
            Map<String, Tensor> tensors = new LinkedHashMap<>();
            for (String name : head.tensors()) {
                tensors.put(name, message.body().get(at));
                at++;
            }
            if (!tensors.isEmpty()) {
                store.restore(head.spec().name(), new TableState(head.clock(), head.counters(), tensors));
            }
        }
    }

    /** All of them; the tensors are added to a body and belong to the open scope. */
    List<Head> snapshot(List<Tensor> body) {
        List<Head> heads = new ArrayList<>();
        for (TableSpec spec : store.specs()) {
            TableState state = store.state(spec.name());
            heads.add(Head.of(spec, state));
            body.addAll(state.tensors().values());
        }
        return heads;
    }

    RowGradients gradients(Contents contents, Message message) {
        return PushBody.rows(contents, message, table -> spec(table).width());
    }

    private TableSpec spec(String table) {
        return store.specs().stream()
                .filter(spec -> spec.name().equals(table))
                .findFirst()
                .orElseThrow(() -> new MessageRefusedException(
                        ParameterShard.OUT_OF_STEP,
                        "there is no table '" + table + "', expected one of "
                                + store.specs().stream().map(TableSpec::name).toList()));
    }

    static void clipValues(Clipping clipping, RowGradients rows) {
        if (clipping.value() > 0) {
            rows.clamp(clipping.value());
        }
    }

    void apply(RowGradients gradients, double rate) {
        store.apply(gradients, rate);
    }

    /** Rows, one behind the other; the tensor belongs to the open scope. */
    Tensor read(String table, Tensor ids) {
        float[] rows = store.read(spec(table), ids.toArray().longs());
        return Tensor.of(rows, rows.length);
    }

    int drop(String table, int age, int fewerThan) {
        spec(table);
        return store.table(table).drop(age, fewerThan);
    }

    /** Rows that are here. */
    long rows() {
        return store.all().stream().mapToLong(table -> table.size()).sum();
    }

    long bytes() {
        return store.all().stream().mapToLong(table -> table.bytes()).sum();
    }

    @Override
    public void close() {
        store.close();
    }
}
