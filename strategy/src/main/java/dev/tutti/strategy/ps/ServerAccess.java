package dev.tutti.strategy.ps;

import dev.tutti.array.NamedRange;
import dev.tutti.array.Range;
import dev.tutti.comm.Group;
import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Holding;
import dev.tutti.comm.Member;
import dev.tutti.comm.Message;
import dev.tutti.comm.Team;
import dev.tutti.nn.Model;
import dev.tutti.strategy.ps.ShardRequests.About;
import dev.tutti.strategy.ps.ShardRequests.Commit;
import dev.tutti.strategy.ps.ShardRequests.Progress;
import dev.tutti.strategy.ps.ShardRequests.Pull;
import dev.tutti.strategy.ps.ShardRequests.WorkerClock;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import dev.tutti.train.replica.Agreement;
import dev.tutti.train.replica.LocalReplica;
import dev.tutti.train.replica.StateLostException;
import dev.tutti.train.worker.LocalWorkers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * What a worker does with the shards as a whole: sets them up, finds out how far they are, reads values and state.
 *
 * <p>A worker that is the only member, where there are no servers, holds the shards itself.
 */
final class ServerAccess implements AutoCloseable {
    private final ParameterServer strategy;
    private final TrainingConfig recipe;
    private final LocalWorkers workers;
    private final Team team;
    private final Agreement agreement;
    private final ShardClient client;
    private final List<NamedRange> parameters;
    private ShardServer own; // null: there are servers
    private boolean seen; // this worker knows that the shards were set up
    private boolean startOver;

    ServerAccess(
            ParameterServer strategy, TrainingConfig recipe, LocalWorkers workers, Team team, Agreement agreement) {
        this.strategy = strategy;
        this.recipe = recipe;
        this.workers = workers;
        this.team = team;
        this.agreement = agreement;
        parameters = LocalReplica.target(model()).parameters();
        List<Range> cuts = ShardCuts.of(model().vector().size(), strategy.servers());
        client = new ShardClient(team, cuts, strategy.patience());
    }

    private Model model() {
        return workers.model();
    }

    ShardClient client() {
        return client;
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
        if (all[0] && all[1] && !startOver) {
            throw new StateLostException("a shard of the parameters was lost with its servers");
        }
        seen = all[0] && !all[1];
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
        String version = agreement.text("shards at", () -> String.valueOf(ready(number, entries, lockstep)), 0);
        seen = true;
        startOver = false;
        client.forgetRoutes();
        return Long.parseLong(version);
    }

    private long ready(long number, long entries, boolean lockstep) {
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

    private void setUp(long number, long entries) {
        List<Member> servers = awaitServers();
        Map<String, Tensor> state = workers.state();
        List<String> names = List.copyOf(state.keySet());
        int backups = Math.min(strategy.backups(), servers.size() - 1);
        for (int shard = 0; shard < client.shards(); shard++) {
            Range range = client.range(shard);
            ShardSnapshot snapshot =
                    ShardSnapshot.first(shard, range, parameters, recipe.optimizer(), backups, number, entries, names);
            try (Scope scope = Scope.open();
                    NoGradients off = NoGradients.begin()) {
                List<Tensor> body = new ArrayList<>(List.of(model().vector().values(range)));
                state.values().forEach(tensor -> body.add(part(tensor, range)));
                Message message = ShardRequests.message(snapshot, body.toArray(Tensor[]::new));
                Member server = holder(shard, servers);
                team.messages()
                        .ask(server, ShardServer.SET_UP, message, Duration.ofSeconds(30))
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
                .orElse(servers.get(shard % servers.size()));
    }

    private List<Member> awaitServers() {
        long deadline = System.nanoTime() + strategy.patience().toNanos();
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
            List<Message> answers = client.all(
                    ShardServer.PULL,
                    shard -> ShardClient.Request.of(new Pull(shard, atLeast, turn, staleness))
                            .into(model().vector().values(client.range(shard))));
            for (int shard = 0; shard < versions.length; shard++) {
                versions[shard] = ShardRequests.read(answers.get(shard).head(), Progress.class)
                        .version();
            }
        }
        return versions;
    }

    /** Reads the optimizer's state into this worker's. */
    void readState() {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            List<Message> answers = client.all(ShardServer.STATE, shard -> ShardClient.Request.of(new About(shard)));
            for (int shard = 0; shard < answers.size(); shard++) {
                Range range = client.range(shard);
                try (Message answer = answers.get(shard)) {
                    ShardSnapshot snapshot = ShardRequests.read(answer.head(), ShardSnapshot.class);
                    snapshot.states(answer)
                            .forEach((name, tensor) ->
                                    part(workers.state().get(name), range).copy_(tensor));
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
