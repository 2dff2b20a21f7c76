package dev.tutti.strategy.ps;

import dev.tutti.Experimental;
import dev.tutti.array.Range;
import dev.tutti.comm.Holding;
import dev.tutti.comm.Member;
import dev.tutti.comm.Message;
import dev.tutti.comm.Team;
import dev.tutti.nn.Model;
import dev.tutti.optim.Optimizer;
import dev.tutti.strategy.ps.ShardRequests.Change;
import dev.tutti.strategy.ps.ShardRequests.Contents;
import dev.tutti.strategy.ps.ShardRequests.Pull;
import dev.tutti.strategy.ps.ShardRequests.Push;
import dev.tutti.strategy.ps.ShardRequests.WorkerClock;
import dev.tutti.table.RowGradients;
import dev.tutti.table.RowSource;
import dev.tutti.table.TableSpec;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.TrainingException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * Parameter servers for programs with a loop of their own, for evaluation and for inference: a vector and tables, of which a member pulls what
 * it needs and to which it pushes gradients. It works beside a training, whose shards it reads, or with shards that it has set up.
 *
 * <p>A push is applied once, also if servers are lost on the way and it has to be repeated. A client belongs to one thread at a time; several
 * clients of one process have different names.
 */
@Experimental
public final class ParameterClient implements RowSource {
    /** Of no group of workers: no worker waits for this one. */
    private static final WorkerClock NO_TURN = new WorkerClock(-2, -2, 0, 0, 0);

    private static final Duration SET_UP_LIMIT = Duration.ofSeconds(60);

    private final Team team;
    private final String name;
    private final Duration patience;
    private final List<Range> ranges;
    private final ShardClient client;
    private final List<TableSpec> tables;
    private final TableClient rows;
    private long sequence;

    /**
     * A client of a vector.
     *
     * @param name tells its pushes from those of other clients, also of former processes
     * @param length elements of the vector
     * @param shards how many the vector is divided into, the same for all clients
     * @param patience how long a shard may not answer
     */
    public ParameterClient(Team team, String name, long length, int shards, List<TableSpec> tables, Duration patience) {
        this(team, name, ShardPlacement.equalParts(length, shards), tables, patience);
    }

    private ParameterClient(Team team, String name, List<Range> ranges, List<TableSpec> tables, Duration patience) {
        this.team = team;
        this.name = name;
        this.patience = patience;
        this.tables = List.copyOf(tables);
        this.ranges = ranges;
        client = new ShardClient(team, ranges, patience);
        rows = new TableClient(client, tables);
    }

    /**
     * A client of what a training by parameter servers has on its servers, for evaluation and inference beside it: {@link #pullInto} brings the
     * values, and rows are read when the model asks for them.
     *
     * @param model of the same definition as the one that is trained
     * @param strategy that of the training
     */
    public static ParameterClient of(Team team, String name, Model model, ParameterServer strategy) {
        return new ParameterClient(
                team, name, strategy.layout(model).ranges(), model.tables().specs(), strategy.patience());
    }

    /** Reads the vector into a model, which gets the rows of its tables from the servers from now on: those that it needs. */
    public void pullInto(Model model) {
        try (NoGradients off = NoGradients.begin()) {
            pull(model.vector().values());
        }
        model.rowsFrom(this);
    }

    /** Whether servers hold all shards. */
    public boolean isSetUp() {
        for (int shard = 0; shard < ranges.size(); shard++) {
            if (team.ownership().of(ShardSnapshot.thing(shard)).stream()
                    .allMatch(holding -> holding.holders().isEmpty())) {
                return false;
            }
        }
        return true;
    }

    /**
     * Gives the servers their shards; one client does it.
     *
     * @param backups copies of each shard on other servers
     * @throws TrainingException if there are not enough servers within the client's patience, or one has failed
     */
    public void setUp(Tensor values, Optimizer optimizer, int backups) {
        setUp(values, optimizer, backups, Math.max(backups + 1, ranges.size()));
    }

    /**
     * The same with another number of servers than shards.
     *
     * @param least so many servers are waited for; those that join later get shards of those that have several
     */
    public void setUp(Tensor values, Optimizer optimizer, int backups, int least) {
        List<Member> servers = awaitServers(least);
        for (int shard = 0; shard < ranges.size(); shard++) {
            Range range = ranges.get(shard);
            List<ShardTables.Head> heads = tables.stream()
                    .map(table -> new ShardTables.Head(table, 0, Map.of(), List.of()))
                    .toList();
            ShardSnapshot snapshot =
                    ShardSnapshot.first(shard, range, List.of(), optimizer, backups, 0, 0, List.of(), heads);
            try (Scope scope = Scope.open()) {
                Message message = ShardRequests.message(snapshot, values.narrow(0, range.from(), range.length()));
                team.messages()
                        .ask(servers.get(shard % servers.size()), ShardServer.SET_UP, message, SET_UP_LIMIT)
                        .join()
                        .close();
            } catch (CompletionException e) {
                throw new TrainingException("shard " + shard + " could not be set up: "
                        + e.getCause().getMessage());
            }
        }
    }

    private List<Member> awaitServers(int least) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            List<Member> servers = team.members(BackupLinks.ROLE);
            if (servers.size() >= least) {
                return servers;
            }
            if (System.nanoTime() > deadline) {
                throw new TrainingException("expected " + least + " members with the role server, received " + servers);
            }
            try {
                TimeUnit.MILLISECONDS.sleep(20);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new TrainingException("interrupted while waiting for parameter servers");
            }
        }
    }

    /** Reads the vector. */
    public void pull(Tensor into) {
        try (Scope scope = Scope.open()) {
            client.tell(ShardServer.PULL, shard -> {
                Range range = ranges.get(shard);
                return ShardClient.Request.of(new Pull(shard, 0, null, 0))
                        .into(into.narrow(0, range.from(), range.length()));
            });
        }
    }

    /** Pushes gradients of the vector; returns when all servers, with their backups, have applied them. */
    public void push(Tensor gradients, double rate) {
        push(gradients, rate, null);
    }

    /** The same, and reads the vector with this push in it: one message for each shard, and its answer. */
    public void pushAndPull(Tensor gradients, double rate, Tensor into) {
        push(gradients, rate, into);
    }

    private void push(Tensor gradients, double rate, Tensor into) {
        try (Scope scope = Scope.open()) {
            push(
                    rate,
                    shard -> {
                        Range range = ranges.get(shard);
                        return new PushBody().gradients(List.of(gradients.narrow(0, range.from(), range.length())));
                    },
                    into);
        }
    }

    /** The same as {@link #rows}, for a model that reads here. */
    @Override
    public float[] read(TableSpec table, long[] ids) {
        return rows(table, ids);
    }

    /** Reads rows of a table, one behind the other. */
    public float[] rows(TableSpec table, long[] ids) {
        return rows.read(table, ids);
    }

    /** Pushes gradients of rows, one behind the other in the order of the ids, of which none comes twice. */
    public void pushRows(TableSpec table, long[] ids, float[] gradients, double rate) {
        RowGradients all = new RowGradients();
        all.add(table.name(), table.width(), ids, gradients);
        List<RowGradients> parts = rows.split(all);
        try (Scope scope = Scope.open()) {
            push(rate, shard -> new PushBody().rows(parts.get(shard)), null);
        }
    }

    private interface Body {
        PushBody of(int shard);
    }

    /** @param into where the new values are wanted; null: nowhere */
    private void push(double rate, Body body, Tensor into) {
        sequence++;
        client.tell(BackupLinks.topic(Change.PUSH), shard -> {
            PushBody own = body.of(shard);
            Contents contents = own.contents();
            if (contents.equals(Contents.NOTHING)) {
                return null;
            }
            ShardClient.Request request = ShardClient.Request.of(
                            new Push(
                                    shard,
                                    name,
                                    sequence,
                                    0,
                                    rate,
                                    false,
                                    List.of(all()),
                                    NO_TURN,
                                    contents,
                                    0,
                                    0,
                                    into == null ? Push.NO_VALUES : 0),
                            own.tensors())
                    .toTheEnd();
            Range range = ranges.get(shard);
            return into == null ? request : request.into(into.narrow(0, range.from(), range.length()));
        });
    }

    private Range all() {
        return new Range(0, ranges.get(ranges.size() - 1).to());
    }

    /** Lets rows of a table go that were not changed for so many changes, or changed fewer times; 0 for any. */
    public void drop(TableSpec table, int age, int fewerThan) {
        sequence++;
        rows.drop(name, sequence, table.name(), age, fewerThan);
    }

    /** How many shards there are. */
    public int shards() {
        return ranges.size();
    }

    /** The servers that have a copy of a shard now, its primary first. */
    public List<String> holders(int shard) {
        return team.ownership()
                .of(ShardSnapshot.thing(shard))
                .map(Holding::holders)
                .orElse(List.of());
    }

    /** The server that is the primary of a shard now; empty while there is none. */
    public Optional<String> primary(int shard) {
        return team.ownership().of(ShardSnapshot.thing(shard)).flatMap(Holding::first);
    }
}
