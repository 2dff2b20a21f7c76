package dev.tutti.federated.server;

import dev.tutti.TuttiException;
import dev.tutti.array.NdArray;
import dev.tutti.federated.ClientDescription;
import dev.tutti.federated.ClientUpdate;
import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.privacy.DifferentialPrivacy;
import dev.tutti.federated.wire.ModelCodec;
import dev.tutti.federated.wire.WorkItem;
import dev.tutti.train.Evaluation;
import dev.tutti.train.Totals;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives the rounds of a server by the clock: one thread runs {@link #run}, those of the HTTP service call the other methods. Every wait
 * has an end: rounds by their deadline, waiting for clients by the job's patience.
 */
final class RoundDriver {
    private static final Logger LOG = LoggerFactory.getLogger(RoundDriver.class);
    private static final long LOOK_MILLIS = 200;

    private final FederatedRounds rounds;
    private final ServerModel model;
    private final ModelCodec codec;
    private final RunStore store;
    private final ClientRegistry registry;
    private final LongSupplier clock;
    private final Consumer<RoundResult> watcher;
    private Runnable changed = () -> {};
    private byte[] published = {};
    private int publishedRound;
    private int asked;
    private boolean stopped;
    private String ending = "";
    private Set<String> evaluators = Set.of(); // clients whose evaluation is awaited
    private Totals evaluation;
    private SecureRound secure; // null unless a round of secure aggregation is open

    RoundDriver(
            FederatedRounds rounds,
            ServerModel model,
            RunStore store,
            ClientRegistry registry,
            LongSupplier clock,
            Consumer<RoundResult> watcher) {
        this.rounds = rounds;
        this.model = model;
        this.codec = new ModelCodec(model.shared());
        this.store = store;
        this.registry = registry;
        this.clock = clock;
        this.watcher = watcher;
    }

    /** Is told whenever there may be work for waiting clients; called without a lock. */
    void whenChanged(Runnable listener) {
        changed = listener;
    }

    // ---- the thread of the rounds

    /** Runs all rounds, or until {@link #stop}. */
    void run() {
        try {
            while (rounds.ending().isEmpty() && !isStopped()) {
                if (begin()) {
                    finishRound();
                }
            }
            rounds.ending()
                    .ifPresent(this::end); // a server that is stopped says nothing: clients wait for the next one
        } catch (RuntimeException e) {
            end("failed: " + e.getMessage());
            throw e;
        }
    }

    private synchronized boolean isStopped() {
        return stopped;
    }

    /** Waits for clients and begins a round; false if stopped meanwhile. */
    private boolean begin() {
        FederatedJob job = rounds.job();
        long giveUp = clock.getAsLong() + job.patience().toMillis();
        while (true) {
            synchronized (this) {
                long now = clock.getAsLong();
                List<ClientDescription> present = registry.present(now);
                List<ClientDescription> chosen = stopped ? List.of() : rounds.begin(present, now);
                if (stopped) {
                    return false;
                }
                if (!chosen.isEmpty()) {
                    opened(chosen, now);
                    break;
                }
                if (now > giveUp) {
                    throw new TuttiException("no round could begin for "
                            + job.patience().toSeconds() + " s: "
                            + present.size() + " clients are there that could take part, and "
                            + job.selection().needed() + " are needed. The state is kept: start the server again when"
                            + " there are clients, or raise 'patience'");
                }
                pause(LOOK_MILLIS);
            }
        }
        changed.run();
        return true;
    }

    private void opened(List<ClientDescription> chosen, long now) {
        asked = chosen.size();
        if (publishedRound != rounds.round()) {
            published = codec.encode(new ModelCodec.RoundModel(rounds.round(), rounds.model(), rounds.control()));
            publishedRound = rounds.round();
        }
        rounds.job()
                .secure()
                .ifPresent(settings -> secure = new SecureRound(
                        settings,
                        rounds.round(),
                        chosen.stream().map(ClientDescription::id).toList(),
                        model.shared().size() + 1,
                        now,
                        rounds.job().deadline().toMillis()));
        LOG.info("Round {}: {} clients are asked", rounds.round(), chosen.size());
    }

    private void finishRound() {
        RoundResult result;
        synchronized (this) {
            if (secure != null) {
                awaitSecure();
            }
            while (rounds.progress(clock.getAsLong()) == FederatedRounds.Progress.OPEN && !stopped) {
                pause(Math.min(LOOK_MILLIS, 1 + rounds.remaining(clock.getAsLong())));
            }
            if (stopped) {
                return;
            }
            long now = clock.getAsLong();
            if (rounds.progress(now) == FederatedRounds.Progress.TOO_FEW) {
                LOG.warn("Round {}: too few answers by the deadline; it begins again", rounds.round());
                rounds.abandon();
                pause(LOOK_MILLIS); // clients that fail at once do not make the server run in circles
                return;
            }
            result = rounds.close(now);
            store.save(rounds.snapshot()); // before the model leaves: what was spent of privacy is in it
        }
        complete(result);
    }

    private void awaitSecure() {
        while (!secure.isDone() && !stopped) {
            if (secure.advance(clock.getAsLong())) {
                tellOthers();
            }
            if (!secure.isDone()) {
                pause(50);
            }
        }
        secure.sum().ifPresent(sum -> {
            long samples = sum[sum.length - 1];
            long[] values = java.util.Arrays.copyOf(sum, sum.length - 1);
            float[] mean = rounds.job().secure().orElseThrow().fixedPoint().decode(values, Math.max(1, samples));
            rounds.addSum(mean, secure.survivors(), samples);
        });
        if (secure.sum().isEmpty()) {
            LOG.warn("Round {}: secure aggregation ended without a sum: {}", rounds.round(), secure.problem());
            rounds.expire();
        }
        secure = null;
    }

    /** Waiting clients are told on another thread, since this one holds the lock. */
    private void tellOthers() {
        Thread teller = new Thread(changed, "tutti-federated-notice");
        teller.setDaemon(true);
        teller.start();
    }

    private void complete(RoundResult closed) {
        RoundResult result = closed;
        float[] values = rounds.model();
        var onServer = model.evaluate(values);
        if (onServer.isPresent()) {
            result = result.evaluated(onServer.get());
        }
        int every = rounds.job().clientEvaluation();
        if (every > 0 && result.round() % every == 0) {
            result = result.evaluatedByClients(evaluateAtClients());
        }
        synchronized (this) {
            rounds.completeLast(result);
            store.save(rounds.snapshot());
        }
        watcher.accept(result);
    }

    private Evaluation evaluateAtClients() {
        long until;
        synchronized (this) {
            long now = clock.getAsLong();
            until = now + rounds.job().deadline().toMillis();
            evaluation = new Totals(rounds.job().metrics());
            evaluators = new HashSet<>(
                    registry.present(now).stream().map(ClientDescription::id).toList());
            published = codec.encode(new ModelCodec.RoundModel(rounds.round(), rounds.model(), rounds.control()));
            publishedRound = rounds.round();
        }
        changed.run();
        synchronized (this) {
            while (!evaluators.isEmpty() && clock.getAsLong() < until && !stopped) {
                pause(Math.min(LOOK_MILLIS, 1 + until - clock.getAsLong()));
            }
            evaluators = Set.of();
            return evaluation.value();
        }
    }

    private void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.timedWait(this, millis); // callers look again in a loop
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            stopped = true;
        }
    }

    private void end(String reason) {
        synchronized (this) {
            ending = reason;
            stopped = true;
            notifyAll();
        }
        changed.run();
    }

    synchronized void stop() {
        stopped = true;
        notifyAll();
    }

    // ---- calls of clients

    /** What a client is to do next. */
    synchronized WorkItem work(String client) {
        long now = clock.getAsLong();
        int round = rounds.round();
        if (!ending.isEmpty()) {
            return WorkItem.finished(round, ending);
        }
        if (stopped) {
            return WorkItem.of(WorkItem.WAIT, round, 0);
        }
        if (evaluators.contains(client)) {
            return WorkItem.of(WorkItem.EVALUATE, round, rounds.job().deadline().toMillis() / 1e3);
        }
        double factor = rounds.job().local(round, client).rateFactor();
        Double clip = rounds.clip().orElse(null);
        if (secure != null) {
            return secure.work(client, round, factor, clip, noise(), now);
        }
        if (rounds.awaits(client)) {
            return WorkItem.train(round, rounds.remaining(now) / 1e3, factor, clip, noise());
        }
        return WorkItem.of(WorkItem.WAIT, round, 0);
    }

    /** The part of the noise that each client adds, where clients do. */
    private Double noise() {
        return rounds.job()
                .privacy()
                .filter(privacy -> privacy.place() == DifferentialPrivacy.Place.CLIENTS)
                .map(privacy -> privacy.noise() * rounds.clip().orElseThrow() / Math.sqrt(Math.max(1, asked)))
                .orElse(null);
    }

    /** The bytes of the model of a round. */
    synchronized byte[] model(int round) {
        if (round != publishedRound || published.length == 0) {
            throw new RefusedCallException(
                    409, "the model of round " + round + " is not given out: it is round " + rounds.round());
        }
        return published;
    }

    /** Whether an answer would be taken now; nothing is counted. */
    synchronized boolean awaits(String client, int round) {
        return round == rounds.round() && rounds.awaits(client) || rounds.isAsynchronous();
    }

    /** Judges an answer and takes it, in one go. */
    synchronized Verdict submit(ClientUpdate update, int round) {
        Verdict verdict = rounds.admit(update.client(), round, clock.getAsLong());
        if (verdict == Verdict.ACCEPTED) {
            verdict = update.round() == round ? rounds.add(update) : refuse(update.client());
        }
        notifyAll();
        return verdict;
    }

    private Verdict refuse(String client) {
        rounds.malformed(client);
        return Verdict.MALFORMED;
    }

    /** Counts an answer that could not be read. */
    synchronized Verdict unreadable(String client, int round) {
        Verdict verdict = rounds.admit(client, round, clock.getAsLong());
        if (verdict == Verdict.ACCEPTED) {
            verdict = refuse(client);
        }
        notifyAll();
        return verdict;
    }

    /** Takes a message of a phase of secure aggregation. */
    synchronized Verdict secure(String client, int round, String phase, byte[] body) {
        if (secure == null || round != rounds.round()) {
            return Verdict.OLD_ROUND;
        }
        Verdict verdict = secure.offer(client, phase, body);
        notifyAll();
        return verdict;
    }

    /** Takes what a client measured. */
    synchronized Verdict evaluated(String client, int round, Map<String, NdArray> sums) {
        if (round != rounds.round() || !evaluators.contains(client)) {
            return Verdict.NOT_ASKED;
        }
        evaluators.remove(client);
        notifyAll();
        Totals own = new Totals(rounds.job().metrics());
        try {
            own.restore(sums);
        } catch (RuntimeException e) {
            LOG.warn("The evaluation of {} cannot be read: {}", client, e.toString());
            return Verdict.MALFORMED;
        }
        evaluation.merge(own);
        return Verdict.ACCEPTED;
    }

    synchronized boolean isOver() {
        return !ending.isEmpty();
    }

    synchronized String ending() {
        return ending;
    }

    synchronized int round() {
        return rounds.round();
    }

    synchronized List<RoundResult> results() {
        return rounds.results();
    }
}
