package dev.tutti.strategy.ps;

import dev.tutti.array.NamedRange;
import dev.tutti.array.Range;
import dev.tutti.comm.Group;
import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Holding;
import dev.tutti.comm.Member;
import dev.tutti.comm.Message;
import dev.tutti.comm.Team;
import dev.tutti.io.TensorFile;
import dev.tutti.json.Json;
import dev.tutti.nn.Model;
import dev.tutti.strategy.ps.ShardRequests.About;
import dev.tutti.strategy.ps.ShardRequests.Commit;
import dev.tutti.strategy.ps.ShardRequests.Progress;
import dev.tutti.strategy.ps.ShardRequests.Pull;
import dev.tutti.strategy.ps.ShardRequests.QuorumUpdate;
import dev.tutti.strategy.ps.ShardRequests.Settle;
import dev.tutti.strategy.ps.ShardRequests.WorkerClock;
import dev.tutti.strategy.ps.ShardSnapshot.ShardPolicy;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import dev.tutti.train.checkpoint.SnapshotFolder;
import dev.tutti.train.replica.Agreement;
import dev.tutti.train.replica.LocalReplica;
import dev.tutti.train.replica.StateLostException;
import dev.tutti.train.worker.LocalWorkers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a worker does with the shards as a whole: sets them up, finds out how far they are, reads values and state.
 *
 * <p>A worker that is the only member, where there are no servers, holds the shards itself.
 */
final class ServerAccess implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServerAccess.class);

    private final ParameterServer strategy;
    private final TrainingConfig recipe;
    private final LocalWorkers workers;
    private final Team team;
    private final Agreement agreement;
    private final ShardPlacement layout;
    private final ShardClient client;
    private final List<NamedRange> parameters;
    private final TableClient tables;
    private ShardServer own; // null: there are servers
    private boolean seen; // this worker knows that the shards were set up
    private Long serversBy; // until when servers are waited for; null: they are not
    private boolean startOver;
    private boolean restoring; // the shards are set up from their newest snapshot
    private String run = ""; // by which snapshots of this training are known; empty until the shards are set up
    private long entriesAgreed;

    ServerAccess(
            ParameterServer strategy, TrainingConfig recipe, LocalWorkers workers, Team team, Agreement agreement) {
        this.strategy = strategy;
        this.recipe = recipe;
        this.workers = workers;
        this.team = team;
        this.agreement = agreement;
        parameters = LocalReplica.target(model()).parameters();
        layout = strategy.layout(model());
        client = new ShardClient(team, layout.ranges(), strategy.patience());
        tables = new TableClient(client, model().tables().specs(), strategy.readsCopies());
        LocalReplica.bindTables(model(), recipe);
        if (hasTables()) {
            workers.rowsFrom(tables);
        }
    }

    private Model model() {
        return workers.model();
    }

    ShardClient client() {
        return client;
    }

    TableClient tables() {
        return tables;
    }

    private boolean hasTables() {
        return !model().tables().isEmpty();
    }

    /**
     * The workers have met.
     *
     * @throws StateLostException on all of them, if a shard that was set up has no copy left
     */
    void regrouped() {
        client.forgetRoutes();
        Group group = team.group();
        if (own == null
                && group.size() == 1
                && client.servers().equals(List.of(team.messages().self()))) {
            own = new ShardServer(team).serve();
        }
        boolean[] all = agreement.any("shards", seen, isAnyLost());
        boolean lost = all[0] && all[1];
        restoring = lost && strategy.hasSnapshots() && agreement.any("snapshot", canRestore())[0];
        if (lost && !restoring && !startOver) {
            throw new StateLostException("a shard of the parameters was lost with its servers"
                    + (strategy.hasSnapshots() ? ", and " + strategy.snapshotFolder() + " has no snapshot of it" : ""));
        }
        seen = all[0] && !all[1];
    }

    private boolean canRestore() {
        return team.group().isChief()
                && !run.isEmpty()
                && snapshots().newestOf(run).isPresent();
    }

    private SnapshotFolder snapshots() {
        return new SnapshotFolder(strategy.snapshotFolder());
    }

    /** Whether the shards were set up, as far as the workers of the group know. */
    boolean isSetUp() {
        return seen && !startOver;
    }

    private boolean isAnyLost() {
        for (int shard = 0; shard < client.shards(); shard++) {
            Holding holding = team.ownership().of(ShardSnapshot.thing(shard)).orElse(null);
            if (holding == null || holding.holders().isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** The state of this worker is written anew, and the shards' with it. */
    void startOver() {
        startOver = true;
    }

    /**
     * All workers together: sets the shards up where they are not, and completes a step that was agreed on and not applied by all.
     *
     * @param number updates that this worker's state has
     * @param entries entries of the board that it has
     * @param lockstep whether shards have to be as far as that
     * @return how many updates the shards have, the same on all workers
     */
    long prepare(long number, long entries, boolean lockstep) {
        if (strategy.hasSnapshots()) {
            run = agreeOnRun();
        }
        String text = agreement.text(
                "shards at", () -> Json.write(new Prepared(ready(number, entries, lockstep), entries, restoring)), 0);
        Prepared prepared = Json.read(text, Prepared.class, "the state of the shards");
        seen = true;
        startOver = false;
        restoring = false;
        entriesAgreed = prepared.restored() ? prepared.entries() : entries;
        client.forgetRoutes();
        return prepared.version();
    }

    /** How far the shards are, as the first worker has found out, and whether they come from a snapshot. */
    private record Prepared(long version, long entries, boolean restored) {}

    /** Entries of the board that this worker has after {@link #prepare}: those of the first worker where the shards were restored. */
    long entries() {
        return entriesAgreed;
    }

    /** The name that the first of the workers knows; a new one where none does. */
    private String agreeOnRun() {
        List<String> known = agreement.texts("run of the snapshots", run);
        return known.stream()
                .filter(each -> !each.isEmpty())
                .findFirst()
                .orElseGet(() -> agreement.text(
                        "new run of the snapshots", () -> UUID.randomUUID().toString(), 0));
    }

    private long ready(long number, long entries, boolean lockstep) {
        if (restoring) {
            restore(number, entries);
            return number;
        }
        if (startOver || isAnyLost()) {
            setUp(number, entries);
            return number;
        }
        List<Progress> shards = new ArrayList<>();
        for (Message answer : client.all(ShardServer.PROGRESS, shard -> ShardClient.Request.of(new About(shard)))) {
            shards.add(ShardRequests.read(answer.head(), Progress.class));
            answer.close();
        }
        long furthest = shards.stream().mapToLong(Progress::version).max().orElse(0);
        if (!lockstep) {
            settle(shards.get(0).lastQuorum());
            return furthest;
        }
        if (furthest > number + 1 || shards.stream().anyMatch(shard -> shard.version() < number)) {
            setUp(number, entries);
            return number;
        }
        if (furthest == number + 1) {
            complete(shards, furthest);
        }
        return furthest;
    }

    /** A step that one shard has applied was agreed on by all workers, and all shards have its gradients. */
    private void complete(List<Progress> shards, long furthest) {
        Commit agreed = shards.stream()
                .filter(shard -> shard.version() == furthest)
                .findFirst()
                .map(Progress::lastCommit)
                .orElseThrow();
        for (int shard = 0; shard < shards.size(); shard++) {
            if (shards.get(shard).version() < furthest) {
                client.one(
                                shard,
                                BackupLinks.topic(ShardRequests.Change.COMMIT),
                                ShardClient.Request.of(agreed.on(shard)))
                        .close();
            }
        }
    }

    /** Sets all shards up from the newest snapshot. Training goes on where it is: what was learnt since the snapshot is lost. */
    private void restore(long number, long entries) {
        SnapshotFolder.Snapshot snapshot = snapshots()
                .newestOf(run)
                .orElseThrow(() -> new TrainingException(
                        "the snapshot of the shards in " + strategy.snapshotFolder() + " is not there any more"));
        List<Member> servers = awaitServers();
        for (TensorFile part : snapshot.parts()) {
            try (Scope scope = Scope.open()) {
                Message message = ShardSnapshots.read(part);
                ShardSnapshot saved = ShardRequests.read(message.head(), ShardSnapshot.class);
                List<Tensor> body = new ArrayList<>(
                        message.body().subList(0, 1 + saved.states().size()));
                body.addAll(
                        message.body().subList(saved.tablesAt(), message.body().size()));
                ShardSnapshot next = ShardSnapshot.first(
                                saved.shard(),
                                saved.range(),
                                saved.parameters(),
                                saved.optimizer(),
                                Math.min(strategy.backups(), servers.size() - 1),
                                number,
                                entries,
                                saved.states(),
                                saved.tables())
                        .policy(saved.policy());
                setUp(next, body, servers);
            }
        }
        LOG.warn(
                "the shards of the parameters were set up from the snapshot of {} updates: {} updates since then are"
                        + " lost",
                snapshot.version(),
                Math.max(0, number - snapshot.version()));
    }

    private void setUp(long number, long entries) {
        List<Member> servers = awaitServers();
        Map<String, Tensor> state = workers.state();
        List<String> names = List.copyOf(state.keySet());
        int backups = Math.min(strategy.backups(), servers.size() - 1);
        for (int shard = 0; shard < client.shards(); shard++) {
            Range range = client.range(shard);
            try (Scope scope = Scope.open();
                    NoGradients off = NoGradients.begin()) {
                List<Tensor> body = new ArrayList<>(List.of(model().vector().values(range)));
                state.values().forEach(tensor -> body.add(part(tensor, range)));
                ShardSnapshot snapshot = ShardSnapshot.first(
                        shard,
                        range,
                        parameters,
                        recipe.optimizer(),
                        backups,
                        number,
                        entries,
                        names,
                        tables.part(model().tables(), shard, body));
                setUp(snapshot.policy(policy().pinned(layout.isPinned(shard))), body, servers);
            }
        }
    }

    private ShardPolicy policy() {
        return new ShardPolicy(
                client.shards(),
                false,
                strategy.hasSnapshots() ? strategy.snapshotFolder().toString() : "",
                strategy.snapshotSeconds(),
                run);
    }

    private void setUp(ShardSnapshot snapshot, List<Tensor> body, List<Member> servers) {
        try {
            Message message = ShardRequests.message(snapshot, body.toArray(Tensor[]::new));
            team.messages()
                    .ask(holder(snapshot.shard(), servers), ShardServer.SET_UP, message, Duration.ofSeconds(30))
                    .join()
                    .close();
        } catch (CompletionException e) {
            ShardClient.requireWorthRepeating(ShardServer.SET_UP, e.getCause());
            throw new GroupChangedException(
                    "shard " + snapshot.shard() + " could not be set up: "
                            + e.getCause().getMessage(),
                    e.getCause());
        }
    }

    private static Tensor part(Tensor state, Range range) {
        return state.rank() == 0 ? state : state.narrow(0, range.from(), range.length());
    }

    private Member holder(int shard, List<Member> servers) {
        return team.ownership()
                .of(ShardSnapshot.thing(shard))
                .flatMap(Holding::first)
                .flatMap(id -> servers.stream()
                        .filter(server -> server.id().equals(id))
                        .findFirst())
                .orElseGet(() -> servers.get(layout.places(servers.size()).get(shard)));
    }

    /** The time to wait goes on when the workers meet again meanwhile: those that wait for this one do not wait for as long. */
    private List<Member> awaitServers() {
        long now = System.nanoTime();
        serversBy = serversBy == null ? now + strategy.patience().toNanos() : serversBy;
        List<Member> servers = awaitServers(serversBy);
        serversBy = null;
        return servers;
    }

    private List<Member> awaitServers(long deadline) {
        int wanted = own != null ? 1 : strategy.servers();
        while (true) {
            List<Member> servers = client.servers();
            if (servers.size() >= wanted) {
                return servers;
            }
            team.check();
            if (System.nanoTime() > deadline && servers.isEmpty()) {
                throw new TrainingException("parameterServer needs " + strategy.servers()
                        + " member(s) with the role server, received " + servers
                        + ": start them, or let a cluster of processes do it");
            }
            if (System.nanoTime() > deadline) {
                return servers;
            }
            pause();
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(50);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TrainingException("interrupted while waiting for parameter servers");
        }
    }

    /**
     * Reads the values into the model.
     *
     * @param atLeast the least number of updates in them
     * @param turn null where nothing has to be waited for
     * @return the number of updates in each shard
     */
    long[] pull(long atLeast, WorkerClock turn, long staleness) {
        long[] versions = new long[client.shards()];
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            if (!firstDecides()) {
                read(client.all(ShardServer.PULL, shard -> request(shard, atLeast, turn, staleness)), versions);
                return versions;
            }
            Message first = client.one(0, ShardServer.PULL, request(0, atLeast, turn, staleness));
            Progress decided = ShardRequests.read(first.head(), Progress.class);
            versions[0] = decided.version();
            settle(decided.lastQuorum());
            read(
                    client.all(
                            ShardServer.PULL,
                            shard -> shard == 0 ? null : request(shard, decided.version(), turn, staleness)),
                    versions);
        }
        return versions;
    }

    private ShardClient.Request request(int shard, long atLeast, WorkerClock turn, long staleness) {
        ShardClient.Request request = ShardClient.Request.of(new Pull(shard, atLeast, turn, staleness))
                .into(model().vector().values(client.range(shard)))
                .byAnyCopy(strategy.readsCopies());
        return turn == null ? request : request.waiting();
    }

    private static void read(List<Message> answers, long[] versions) {
        for (int shard = 0; shard < versions.length; shard++) {
            if (answers.get(shard) != null) {
                versions[shard] = ShardRequests.read(answers.get(shard).head(), Progress.class)
                        .version();
            }
        }
    }

    /** Whether the first of several shards decides which pushes make an update. */
    private boolean firstDecides() {
        return strategy.hasBackupWorkers() && client.shards() > 1;
    }

    /** Lets the other shards make the update that the first one has made; those that have made it change nothing. */
    private void settle(QuorumUpdate decided) {
        if (decided != null && firstDecides()) {
            client.tell(
                    BackupLinks.topic(ShardRequests.Change.SETTLE),
                    shard -> shard == 0
                            ? null
                            : ShardClient.Request.of(new Settle(shard, decided)).toTheEnd());
        }
    }

    private void settle() {
        if (firstDecides()) {
            try (Message answer = client.one(0, ShardServer.PROGRESS, ShardClient.Request.of(new About(0)))) {
                settle(ShardRequests.read(answer.head(), Progress.class).lastQuorum());
            }
        }
    }

    /** Reads the optimizer's state into this worker's. */
    void readState() {
        settle();
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            List<Message> answers = client.all(ShardServer.STATE, shard -> ShardClient.Request.of(new About(shard)));
            boolean gathers =
                    hasTables() && strategy.gathersTables() && team.group().isChief();
            if (gathers) {
                model().tables().clear();
            }
            for (int shard = 0; shard < answers.size(); shard++) {
                Range range = client.range(shard);
                try (Message answer = answers.get(shard)) {
                    ShardSnapshot snapshot = ShardRequests.read(answer.head(), ShardSnapshot.class);
                    snapshot.states(answer)
                            .forEach((name, tensor) ->
                                    part(workers.state().get(name), range).copy_(tensor));
                    if (gathers) {
                        TableClient.restore(model().tables(), answer);
                    }
                }
            }
        }
    }

    @Override
    public void close() {
        if (own != null) {
            own.close();
        }
    }
}
