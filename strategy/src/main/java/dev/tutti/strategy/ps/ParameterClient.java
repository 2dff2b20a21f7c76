package dev.tutti.strategy.ps;

import dev.tutti.Experimental;
import dev.tutti.array.NamedRange;
import dev.tutti.array.Range;
import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Holding;
import dev.tutti.comm.Member;
import dev.tutti.comm.Message;
import dev.tutti.comm.Team;
import dev.tutti.nn.Model;
import dev.tutti.optim.Optimizer;
import dev.tutti.strategy.ps.ShardRequests.About;
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
import java.util.ArrayList;
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
        List<Member> servers = awaitServers(least, least, System.nanoTime() + patience.toNanos());
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

    /**
     * Gives the servers their shards, also where servers hold others under the same numbers, which are replaced; one client of a group of
     * workers does it, and the others begin behind it with a client of their own.
     *
     * @param parameters names of stretches of the vector, for settings of the optimizer that go by name
     * @param states of the optimizer, by name: as long as the vector, or counters
     * @param backups copies of each shard on other servers, where there are so many
     * @param wanted so many servers are waited for
     * @param deadline until when, as {@link System#nanoTime}; then fewer do as well
     * @throws GroupChangedException if a server was lost meanwhile
     * @throws TrainingException if there is no server, or one has failed
     */
    public void setUp(
            Tensor values,
            List<NamedRange> parameters,
            Map<String, Tensor> states,
            Optimizer optimizer,
            int backups,
            int wanted,
            long deadline) {
        List<Member> servers = awaitServers(wanted, 1, deadline);
        for (int shard = 0; shard < ranges.size(); shard++) {
            Range range = ranges.get(shard);
            ShardSnapshot snapshot = ShardSnapshot.first(
                    shard,
                    range,
                    parameters,
                    optimizer,
                    Math.min(backups, servers.size() - 1),
                    0,
                    0,
                    List.copyOf(states.keySet()),
                    List.of());
            try (Scope scope = Scope.open();
                    NoGradients off = NoGradients.begin()) {
                List<Tensor> body = new ArrayList<>(List.of(part(values, range)));
                states.values().forEach(state -> body.add(part(state, range)));
                team.messages()
                        .ask(
                                holder(shard, servers),
                                ShardServer.SET_UP,
                                ShardRequests.message(snapshot, body.toArray(Tensor[]::new)),
                                SET_UP_LIMIT)
                        .join()
                        .close();
            } catch (CompletionException e) {
                ShardClient.requireWorthRepeating(ShardServer.SET_UP, e.getCause());
                throw new GroupChangedException(
                        "shard " + shard + " could not be set up: "
                                + e.getCause().getMessage(),
                        e.getCause());
            }
        }
        client.forgetRoutes();
    }

    private static Tensor part(Tensor vector, Range range) {
        return vector.rank() == 0 ? vector : vector.narrow(0, range.from(), range.length());
    }

    /** The server that holds a shard now, which alone can take another in its place; any one where none does. */
    private Member holder(int shard, List<Member> servers) {
        Optional<String> now = primary(shard);
        return servers.stream()
                .filter(server -> now.isPresent() && server.id().equals(now.get()))
                .findFirst()
                .orElse(servers.get(shard % servers.size()));
    }

    /** Reads the optimizer's state of all shards into tensors as long as the vector; counters are not read. */
    public void readStates(Map<String, Tensor> into) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            List<Message> answers = client.all(ShardServer.STATE, shard -> ShardClient.Request.of(new About(shard)));
            for (int shard = 0; shard < answers.size(); shard++) {
                Range range = ranges.get(shard);
                try (Message answer = answers.get(shard)) {
                    ShardSnapshot snapshot = ShardRequests.read(answer.head(), ShardSnapshot.class);
                    snapshot.states(answer).forEach((name, tensor) -> {
                        if (into.containsKey(name) && tensor.rank() > 0) {
                            part(into.get(name), range).copy_(tensor);
                        }
                    });
                }
            }
        }
    }

    private List<Member> awaitServers(int wanted, int least, long deadline) {
        while (true) {
            List<Member> servers = team.members(BackupLinks.ROLE);
            boolean late = System.nanoTime() - deadline > 0;
            if (servers.size() >= (late ? least : wanted)) {
                return servers;
            }
            team.check();
            if (late) {
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
        push(gradients, rate, List.of(all()), null);
    }

    /**
     * The same, where only some stretches of the vector learn.
     *
     * @param learning in rising order
     */
    public void push(Tensor gradients, double rate, List<Range> learning) {
        push(gradients, rate, learning, null);
    }

    /** Pushes, and reads the vector with this push in it: one message for each shard, and its answer. */
    public void pushAndPull(Tensor gradients, double rate, Tensor into) {
        push(gradients, rate, List.of(all()), into);
    }

    private void push(Tensor gradients, double rate, List<Range> learning, Tensor into) {
        try (Scope scope = Scope.open()) {
            push(
                    rate,
                    learning,
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
            push(rate, List.of(all()), shard -> new PushBody().rows(parts.get(shard)), null);
        }
    }

    private interface Body {
        PushBody of(int shard);
    }

    /** @param into where the new values are wanted; null: nowhere */
    private void push(double rate, List<Range> learning, Body body, Tensor into) {
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
                                    learning,
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
