package dev.tutti.federated.simulation;

import dev.tutti.TuttiException;
import dev.tutti.data.Dataset;
import dev.tutti.federated.ClientDescription;
import dev.tutti.federated.ClientState;
import dev.tutti.federated.ClientUpdate;
import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.server.FederatedRounds;
import dev.tutti.federated.server.RoundResult;
import dev.tutti.federated.server.Verdict;
import dev.tutti.tensor.Engine;
import dev.tutti.train.Evaluation;
import dev.tutti.train.Totals;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Runs a federated job over simulated clients on the threads of this machine, with the rounds of the real server. Time is simulated:
 * who answers first, who is late and who never answers follow from the {@link ClientConditions}. Updates are added in the order of
 * simulated time, so the result is the same on any number of threads.
 *
 * <pre>{@code
 * SimulationResult result = Simulation.of(job, Mnist.train(), 100).partition(Partitioner.parse("dirichlet:0.5")).evaluateOn(Mnist.test()).run();
 * }</pre>
 */
public final class Simulation {
    private static final float POISON = -10;

    private final FederatedJob job;
    private final Dataset data;
    private final int clients;
    private Partitioner partitioner = new EvenPartition();
    private ClientConditions conditions = ClientConditions.IDEAL;
    private Optional<Dataset> validation = Optional.empty();
    private int threads = Engine.cores();
    private Consumer<RoundResult> watcher = result -> {};
    private UnaryOperator<ClientUpdate> tampering = UnaryOperator.identity();
    private Predicate<RoundResult> goal = result -> false;

    // of a run
    private final Map<Integer, ClientState> states = new HashMap<>();
    private List<int[]> parts;
    private PartitionTable table;
    private ClientWorkers workers;
    private FederatedRounds rounds;
    private long now; // simulated, in milliseconds

    private Simulation(FederatedJob job, Dataset data, int clients) {
        this.job = job;
        this.data = data;
        this.clients = clients;
    }

    public static Simulation of(FederatedJob job, Dataset data, int clients) {
        if (clients < 1) {
            throw new TuttiException("a simulation needs 1 client or more: received " + clients);
        }
        if (job.secure().isPresent()) {
            throw new TuttiException(
                    "secure: masks between clients are for the real server; a simulation sums in the clear to the same"
                            + " bits");
        }
        return new Simulation(job, data, clients);
    }

    public Simulation partition(Partitioner choice) {
        partitioner = choice;
        return this;
    }

    public Simulation conditions(ClientConditions choice) {
        conditions = choice;
        return this;
    }

    /** Evaluates the model on these rows after each round. */
    public Simulation evaluateOn(Dataset rows) {
        validation = Optional.of(rows);
        return this;
    }

    /** Clients that train at the same time; one for each core by default. */
    public Simulation threads(int count) {
        Engine.requireThreads(count);
        threads = count;
        return this;
    }

    /** Tells something about each round as it ends. */
    public Simulation watch(Consumer<RoundResult> listener) {
        watcher = listener;
        return this;
    }

    /** Changes updates on their way, to try what malicious clients do. */
    public Simulation tamper(UnaryOperator<ClientUpdate> change) {
        tampering = change;
        return this;
    }

    /**
     * Has a part of the clients send updates that lead away from the goal: backwards, and ten times as long.
     *
     * @param part of all clients, from 0 to 1; which ones they are does not depend on the seed
     */
    public Simulation poison(double part) {
        if (!(part >= 0 && part <= 1)) {
            throw new TuttiException("the part of poisoned clients is from 0 to 1: received " + part);
        }
        return tamper(update -> {
            int client = number(update.client());
            boolean poisoned = Math.floor((client + 1) * part + 1e-9) > Math.floor(client * part + 1e-9);
            if (!poisoned) {
                return update;
            }
            float[] delta = update.delta().clone();
            for (int i = 0; i < delta.length; i++) {
                delta[i] *= POISON;
            }
            return update.delta(delta);
        });
    }

    /** Ends the run after the first round of which this holds, even if there are more rounds in the job. */
    public Simulation until(Predicate<RoundResult> reached) {
        goal = reached;
        return this;
    }

    /** Runs all rounds, or those up to a goal. */
    public SimulationResult run() {
        long began = System.nanoTime();
        prepare();
        FederatedJob ready = rounds.job();
        try (ClientWorkers pool = new ClientWorkers(ready, threads)) {
            workers = pool;
            Optional<PartitionTable> test = validation.map(PartitionTable::of);
            AsynchronousRounds flow = rounds.isAsynchronous() ? new AsynchronousRounds() : null;
            String ending = null;
            while (ending == null) {
                RoundResult result = flow == null ? runRound() : flow.runRound();
                if (test.isPresent()) {
                    result = result.evaluated(evaluate(test.get()));
                    rounds.completeLast(result);
                }
                if (ready.clientEvaluation() > 0 && result.round() % ready.clientEvaluation() == 0) {
                    result = result.evaluatedByClients(merge(evaluateClients()));
                    rounds.completeLast(result);
                }
                watcher.accept(result);
                ending = rounds.ending()
                        .orElse(goal.test(result) ? "the goal was reached in round " + result.round() : null);
            }
            return new SimulationResult(
                    rounds.results(),
                    ending,
                    rounds.model(),
                    parts.size(),
                    (System.nanoTime() - began) / 1e9,
                    now / 1e3);
        } finally {
            states.clear();
        }
    }

    /**
     * Evaluates a model on the rows of each client by itself.
     *
     * @return loss and metrics by client, in the order of the clients
     */
    public List<Evaluation> perClient(float[] model) {
        prepare();
        rounds = new FederatedRounds(rounds.job(), model);
        try (ClientWorkers pool = new ClientWorkers(rounds.job(), threads)) {
            workers = pool;
            return evaluateClients().stream().map(Totals::value).toList();
        }
    }

    private void prepare() {
        if (rounds != null && table != null) {
            return;
        }
        PartitionTable all = PartitionTable.of(data);
        parts = partitioner.divide(all::column, all.rows(), clients, job.seed());
        table = partitioner.ownerColumn().isEmpty() ? all : all.without(partitioner.ownerColumn());
        FederatedJob ready = job.inputsOf(table.subset(new int[] {0}));
        rounds = new FederatedRounds(ready, ready.firstParameters());
        now = 0;
    }

    // ---- rounds in step

    /** An answer that will come. */
    private record Arrival(long at, int client) {}

    private RoundResult runRound() {
        for (int attempt = 0; ; attempt++) {
            List<ClientDescription> asked = awaitClients(attempt);
            long begun = now;
            long deadline = begun + rounds.remaining(begun);
            List<Arrival> arrivals = arrivals(asked, begun, attempt);
            Deque<Future<ClientUpdate>> under = new ArrayDeque<>();
            for (Arrival arrival : arrivals) {
                if (rounds.admit(name(arrival.client), rounds.round(), arrival.at) == Verdict.ACCEPTED) {
                    now = arrival.at;
                    if (under.size() >= 2 * workers.count()) {
                        rounds.add(tampering.apply(ClientWorkers.await(under.poll())));
                    }
                    under.add(train(arrival.client, rounds.round(), rounds.model(), rounds.control()));
                }
            }
            while (!under.isEmpty()) {
                rounds.add(tampering.apply(ClientWorkers.await(under.poll())));
            }
            if (rounds.progress(now) == FederatedRounds.Progress.OPEN) {
                now = deadline + 1; // the server waits for those who dropped out
            }
            if (rounds.progress(now) == FederatedRounds.Progress.ENOUGH) {
                return rounds.close(now);
            }
            rounds.abandon();
        }
    }

    private List<ClientDescription> awaitClients(int attempt) {
        long giveUp = now + job.patience().toMillis();
        for (int wait = 0; now <= giveUp; wait++) {
            List<ClientDescription> present = new ArrayList<>();
            for (int client = 0; client < parts.size(); client++) {
                if (conditions.isThere(job.seed(), client, rounds.round(), attempt * 1000 + wait)) {
                    present.add(ClientDescription.of(name(client)));
                }
            }
            List<ClientDescription> asked = rounds.begin(present, now);
            if (!asked.isEmpty()) {
                return asked;
            }
            now += 1000;
        }
        throw new TuttiException("too few clients were there for "
                + job.patience().toSeconds() + " s of simulated time: round " + rounds.round() + " needs "
                + job.selection().needed() + " of " + parts.size());
    }

    private List<Arrival> arrivals(List<ClientDescription> asked, long begun, int attempt) {
        List<Arrival> arrivals = new ArrayList<>();
        for (ClientDescription description : asked) {
            int client = number(description.id());
            if (!conditions.dropsOut(job.seed(), client, rounds.round(), attempt)) {
                arrivals.add(new Arrival(begun + duration(client), client));
            }
        }
        arrivals.sort(Comparator.comparingLong(Arrival::at).thenComparingInt(Arrival::client));
        return arrivals;
    }

    private long duration(int client) {
        double seconds = conditions.seconds(job.seed(), client, (long) parts.get(client).length * job.epochs());
        return Math.max(1, (long) (seconds * 1e3));
    }

    private Future<ClientUpdate> train(int client, int round, float[] model, Optional<float[]> control) {
        Dataset rows = table.subset(parts.get(client));
        ClientState state = remembers() ? states.computeIfAbsent(client, c -> new ClientState()) : new ClientState();
        return workers.submit(trainer -> trainer.train(
                name(client), round, model, control, rows, rounds.job().local(round, name(client)), state));
    }

    private boolean remembers() {
        return !job.personal().isEmpty() || job.aggregation().local().control();
    }

    static String name(int client) {
        return String.format(java.util.Locale.ROOT, "client-%06d", client);
    }

    private static int number(String name) {
        return Integer.parseInt(name.substring("client-".length()));
    }

    // ---- rounds with a buffer

    /** Clients that train all the time, each from the model that was newest when it began. */
    private final class AsynchronousRounds {
        private record Flight(long at, int client, int round, Future<ClientUpdate> update) {}

        private final java.util.PriorityQueue<Flight> flights = new java.util.PriorityQueue<>(
                Comparator.comparingLong(Flight::at).thenComparingInt(Flight::client));
        private final java.util.Set<Integer> busy = new java.util.HashSet<>();
        private final dev.tutti.data.RowRandom random = new dev.tutti.data.RowRandom(job.seed());

        RoundResult runRound() {
            awaitClients(0);
            int most = Math.max(1, (int) Math.round(job.selection().fraction() * parts.size()));
            while (true) {
                while (flights.size() < most) {
                    launch();
                }
                Flight next = flights.poll();
                busy.remove(next.client);
                now = next.at;
                if (rounds.admit(name(next.client), next.round, now) == Verdict.ACCEPTED) {
                    rounds.add(tampering.apply(ClientWorkers.await(next.update)));
                }
                FederatedRounds.Progress progress = rounds.progress(now);
                if (progress == FederatedRounds.Progress.ENOUGH) {
                    return rounds.close(now);
                }
                if (progress == FederatedRounds.Progress.TOO_FEW) {
                    rounds.abandon();
                    awaitClients(0);
                }
            }
        }

        private void launch() {
            int client = random.nextInt(parts.size());
            while (!busy.add(client)) {
                client = (client + 1) % parts.size();
            }
            flights.add(new Flight(
                    now + duration(client),
                    client,
                    rounds.round(),
                    train(client, rounds.round(), rounds.model(), rounds.control())));
        }
    }

    // ---- evaluation

    private Evaluation evaluate(PartitionTable test) {
        float[] model = rounds.model();
        List<Future<Totals>> sums = new ArrayList<>();
        for (int i = 0; i < workers.count(); i++) {
            Dataset part = test.part(i, workers.count());
            sums.add(workers.submit(trainer -> trainer.evaluate(model, part, new ClientState())));
        }
        return merge(sums.stream().map(ClientWorkers::await).toList());
    }

    private List<Totals> evaluateClients() {
        float[] model = rounds.model();
        List<Future<Totals>> sums = new ArrayList<>();
        for (int client = 0; client < parts.size(); client++) {
            Dataset rows = table.subset(parts.get(client));
            ClientState state = states.getOrDefault(client, new ClientState());
            sums.add(workers.submit(trainer -> trainer.evaluate(model, rows, state)));
        }
        return sums.stream().map(ClientWorkers::await).toList();
    }

    private Evaluation merge(List<Totals> sums) {
        Totals all = new Totals(job.metrics());
        sums.forEach(all::merge);
        return all.value();
    }
}
