package dev.tutti.federated.server;

import dev.tutti.TuttiException;
import dev.tutti.data.RowRandom;
import dev.tutti.federated.ClientDescription;
import dev.tutti.federated.ClientUpdate;
import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.Selection;
import dev.tutti.federated.aggregate.Aggregator;
import dev.tutti.federated.aggregate.FedBuff;
import dev.tutti.federated.aggregate.RoundAware;
import dev.tutti.federated.privacy.PrivacyLedger;
import dev.tutti.federated.privacy.UpdateGuard;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The rounds of a run as a machine without clock, threads or network: what it does follows from the calls and the times it is given. The
 * server drives it over HTTP, the simulation in memory.
 *
 * <p>Order of calls, for each round: {@link #begin}; then for each answer {@link #admit}, and after {@link Verdict#ACCEPTED} either
 * {@link #add} or {@link #malformed}; {@link #progress} at any time; {@link #close} when it is no longer {@link Progress#OPEN}. Updates
 * are streamed into the aggregation. Not safe for several threads.
 */
public final class FederatedRounds {
    /** Where a round is. */
    public enum Progress {
        /** No round is open. */
        IDLE,
        /** Answers are awaited. */
        OPEN,
        /** There are enough answers: {@link FederatedRounds#close} makes the next model. */
        ENOUGH,
        /** The deadline is over without enough answers: {@link FederatedRounds#abandon}. */
        TOO_FEW
    }

    private static final int MOST_FAILURES = 10;

    private final FederatedJob job;
    private final Aggregator aggregator;
    private final Optional<PrivacyLedger> ledger;
    private final Optional<UpdateGuard> guard;
    private final List<RoundResult> results = new ArrayList<>();
    private final RoundCounters refusedBetweenRounds = new RoundCounters();
    private float[] model;
    private int round = 1;
    private int failures; // in a row
    private int emptyDraws;
    private OpenRound open; // null between rounds

    private static final class OpenRound {
        private final Set<String> asked = new LinkedHashSet<>();
        private final Set<String> answered = new LinkedHashSet<>();
        private final RoundCounters counters = new RoundCounters();
        private final long began;
        private final long deadline;
        private final int wanted;
        private int added;
        private long samples;
        private double loss;
        private boolean expired;
        private boolean summed;

        OpenRound(long began, long deadline, int wanted) {
            this.began = began;
            this.deadline = deadline;
            this.wanted = wanted;
        }

        /** Answers under way or in, without malformed ones. */
        int counting() {
            return answered.size() - counters.of(Verdict.MALFORMED);
        }
    }

    /** @param first the model before the first round */
    public FederatedRounds(FederatedJob job, float[] first) {
        this.job = job;
        this.model = first.clone();
        aggregator = job.aggregation().open(first.length, job.optimizer().learningRate());
        ledger = job.privacy()
                .map(privacy -> new PrivacyLedger(privacy, job.selection().fraction()));
        guard = job.privacy().map(privacy -> new UpdateGuard(privacy, job.seed()));
    }

    // ---- what there is

    public FederatedJob job() {
        return job;
    }

    /** The number of the round under way or to come, from 1. */
    public int round() {
        return round;
    }

    /** The newest model; never written to. */
    public float[] model() {
        return model;
    }

    /** What travels with the model, where the aggregation has something. */
    public Optional<float[]> control() {
        return aggregator.control();
    }

    public List<RoundResult> results() {
        return List.copyOf(results);
    }

    /** Why there will be no further round; empty while there will. */
    public Optional<String> ending() {
        if (results.size() >= job.rounds()) {
            return Optional.of("all " + job.rounds() + " rounds are done");
        }
        return ledger.flatMap(PrivacyLedger::spent);
    }

    /** Whether clients train whenever they are free instead of all in step. */
    public boolean isAsynchronous() {
        return job.aggregation() instanceof FedBuff;
    }

    /** The bound of an update's length, where privacy has one. */
    public Optional<Double> clip() {
        return guard.map(UpdateGuard::bound);
    }

    // ---- a round

    /**
     * Begins a round.
     *
     * @param present clients that could take part
     * @param now in milliseconds of any clock
     * @return who is asked; empty where too few clients are there, and no round is begun then
     */
    public List<ClientDescription> begin(List<ClientDescription> present, long now) {
        requireState(open == null, "a round is open");
        requireState(ending().isEmpty(), "the run has ended");
        if (isAsynchronous()) {
            return beginAsynchronous(present, now);
        }
        Selection.Choice choice =
                job.selection().choose(present, RowRandom.seed(job.seed(), round, failures, emptyDraws));
        if (choice.clients().isEmpty()) {
            emptyDraws += present.isEmpty() ? 0 : 1; // chance may choose none of few: the next draw is another one
            return List.of();
        }
        open = new OpenRound(now, now + job.deadline().toMillis(), choice.answers());
        choice.clients().forEach(client -> open.asked.add(client.id()));
        beginAggregation();
        return choice.clients();
    }

    private List<ClientDescription> beginAsynchronous(List<ClientDescription> present, long now) {
        List<ClientDescription> fitting =
                present.stream().filter(job.selection()::fits).toList();
        if (fitting.size() < job.selection().needed()) {
            return List.of();
        }
        open = new OpenRound(now, now + job.deadline().toMillis(), ((FedBuff) job.aggregation()).buffer());
        beginAggregation();
        return fitting;
    }

    private void beginAggregation() {
        if (aggregator instanceof RoundAware aware) {
            aware.round(round);
        }
        aggregator.begin(model);
        guard.ifPresent(g -> g.begin(round));
    }

    /** Whether a client is asked in the round that is open and has not answered yet. */
    public boolean awaits(String client) {
        return open != null && !open.answered.contains(client) && (isAsynchronous() || open.asked.contains(client));
    }

    /** Judges an answer by its sender and time alone, before its content is looked at; counts it. */
    public Verdict admit(String client, int answeredRound, long now) {
        Verdict verdict = judge(client, answeredRound, now);
        counters().count(verdict);
        if (verdict == Verdict.ACCEPTED) {
            open.answered.add(client);
        }
        return verdict;
    }

    private Verdict judge(String client, int answeredRound, long now) {
        if (isAsynchronous() && open != null) {
            int age = round - answeredRound;
            if (age < 0 || age > ((FedBuff) job.aggregation()).staleness()) {
                return Verdict.OLD_ROUND;
            }
            return open.answered.contains(client) ? Verdict.DOUBLED : Verdict.ACCEPTED;
        }
        if (answeredRound != round) {
            return Verdict.OLD_ROUND;
        }
        if (open == null) {
            return Verdict.LATE;
        }
        if (open.answered.contains(client)) {
            return Verdict.DOUBLED;
        }
        if (!open.asked.contains(client)) {
            return Verdict.NOT_ASKED;
        }
        return now > open.deadline || open.counting() >= open.wanted ? Verdict.LATE : Verdict.ACCEPTED;
    }

    private RoundCounters counters() {
        return open == null ? refusedBetweenRounds : open.counters;
    }

    /**
     * Takes the update of an admitted answer into the aggregation.
     *
     * @return {@link Verdict#ACCEPTED}, or {@link Verdict#MALFORMED} where its content is refused; it is counted then
     */
    public Verdict add(ClientUpdate update) {
        requireState(open != null && open.answered.contains(update.client()), "the answer was not admitted");
        if (!isSound(update)) {
            malformed(update.client());
            return Verdict.MALFORMED;
        }
        ClientUpdate guarded = guard.isPresent() ? guard.get().protect(update) : update;
        aggregator.add(guarded);
        open.added++;
        open.samples += update.samples();
        open.loss += (Double.isNaN(update.loss()) ? 0 : update.loss()) * update.samples();
        return Verdict.ACCEPTED;
    }

    private boolean isSound(ClientUpdate update) {
        return update.delta().length == model.length
                && update.samples() > 0
                && update.samples() <= Integer.MAX_VALUE
                && isFinite(update.delta())
                && update.control()
                        .map(c -> c.length == model.length && isFinite(c))
                        .orElse(true)
                && update.control().isPresent() == job.aggregation().local().control()
                && (!job.aggregation().local().lossBefore() || update.lossBefore() >= 0);
    }

    private static boolean isFinite(float[] values) {
        float sum = 0;
        for (float value : values) {
            sum += value * 0; // NaN as soon as one is not finite
        }
        return sum == 0;
    }

    /** An admitted answer turned out to be none: it is counted, and the client may not try again in this round. */
    public void malformed(String client) {
        requireState(open != null && open.answered.contains(client), "the answer was not admitted");
        open.counters.count(Verdict.MALFORMED);
    }

    /** Where the round is at a time. Admitted answers whose update has not been added yet are waited for, up to the deadline. */
    public Progress progress(long now) {
        if (open == null) {
            return Progress.IDLE;
        }
        if (open.summed || open.added >= open.wanted) {
            return Progress.ENOUGH;
        }
        boolean allAnswered =
                !isAsynchronous() && open.answered.size() == open.asked.size() && open.added == open.counting();
        if (open.expired || now > open.deadline || allAnswered) {
            return open.added >= job.least() ? Progress.ENOUGH : Progress.TOO_FEW;
        }
        return Progress.OPEN;
    }

    /** Ends the waiting: the round is judged by the answers that are here. */
    public void expire() {
        requireState(open != null, "no round is open");
        open.expired = true;
    }

    /** Milliseconds until the deadline of the open round. */
    public long remaining(long now) {
        return open == null ? 0 : Math.max(0, open.deadline - now);
    }

    /**
     * Takes a sum of updates that was made elsewhere, as secure aggregation does, instead of single ones: the round is complete.
     *
     * @param clients those whose updates are in the sum
     */
    public void addSum(float[] mean, int clients, long samples) {
        requireState(open != null, "no round is open");
        aggregator.add(ClientUpdate.of(
                "sum",
                round,
                Math.max(1, samples),
                guard.isPresent() ? guard.get().noised(mean, clients) : mean));
        open.added = clients;
        open.summed = true;
        open.samples = samples;
        open.loss = Double.NaN; // it does not travel with masked updates
    }

    /**
     * Makes the next model.
     *
     * @return what came of the round; privacy is spent, and must be on disk before the model leaves
     */
    public RoundResult close(long now) {
        requireState(progress(now) == Progress.ENOUGH, "there are not enough answers");
        model = aggregator.finish();
        ledger.ifPresent(PrivacyLedger::spend);
        guard.ifPresent(UpdateGuard::finish);
        RoundResult result = new RoundResult(
                round,
                isAsynchronous() ? open.answered.size() : open.asked.size(),
                open.added,
                open.counters.byName(),
                open.samples,
                open.samples == 0 ? Double.NaN : open.loss / open.samples,
                (now - open.began) / 1e3,
                null,
                null,
                ledger.map(PrivacyLedger::epsilon).orElse(null));
        results.add(result);
        open = null;
        round++;
        failures = 0;
        return result;
    }

    /** Replaces the last result by one with evaluations. */
    public void completeLast(RoundResult result) {
        results.set(results.size() - 1, result);
    }

    /**
     * Gives up the round: the model stays as it is, and the next {@link #begin} tries the round again with other clients.
     *
     * @throws TuttiException if that happened ten times in a row
     */
    public void abandon() {
        requireState(open != null, "no round is open");
        int answers = open.added;
        open = null;
        failures++;
        if (failures >= MOST_FAILURES) {
            throw new TuttiException("round " + round + " failed " + failures + " times in a row: the last time "
                    + answers + " clients answered by the deadline of "
                    + job.deadline().toMillis() / 1e3 + " s, and " + job.least()
                    + " are needed. Raise the deadline, or lower 'least'");
        }
    }

    private static void requireState(boolean fits, String problem) {
        if (!fits) {
            throw new IllegalStateException(problem);
        }
    }

    // ---- state

    /** All that a restarted server needs, between rounds or within one, which then begins again. */
    RunSnapshot snapshot() {
        Map<String, float[]> vectors = new LinkedHashMap<>();
        vectors.put("model", model);
        aggregator.state().forEach((name, vector) -> vectors.put("aggregator." + name, vector));
        return new RunSnapshot(
                vectors,
                new RunSnapshot.Facts(
                        job.name(),
                        round,
                        List.copyOf(results),
                        ledger.map(PrivacyLedger::rounds).orElse(0),
                        guard.map(UpdateGuard::bound).orElse(0.0)));
    }

    /** Goes on where another server was. */
    void restore(RunSnapshot snapshot) {
        requireState(open == null, "a round is open");
        float[] saved = snapshot.vectors().get("model");
        if (saved == null
                || saved.length != model.length
                || !snapshot.facts().job().equals(job.name())) {
            throw new TuttiException("the saved state is one of job '"
                    + snapshot.facts().job() + "' with "
                    + (saved == null ? 0 : saved.length) + " parameters: expected job '" + job.name() + "' with "
                    + model.length + ". Choose another 'output', or remove its folder 'state'");
        }
        model = saved;
        Map<String, float[]> state = new LinkedHashMap<>();
        snapshot.vectors().forEach((name, vector) -> {
            if (name.startsWith("aggregator.")) {
                state.put(name.substring("aggregator.".length()), vector);
            }
        });
        aggregator.restore(state);
        round = snapshot.facts().round();
        results.clear();
        results.addAll(snapshot.facts().results());
        ledger.ifPresent(l -> l.restore(snapshot.facts().privateRounds()));
        guard.ifPresent(g -> g.restore(snapshot.facts().clip()));
    }
}
