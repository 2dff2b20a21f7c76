package dev.tutti.federated.server;

import dev.tutti.TuttiException;
import dev.tutti.federated.FederatedJob;
import dev.tutti.io.AtomicFile;
import dev.tutti.json.Json;
import dev.tutti.train.Evaluation;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * A server of federated learning, to be embedded or started by {@code ./tutti federate serve}.
 *
 * <pre>{@code
 * try (FederatedServer server = FederatedServer.start(job, ListenSettings.local(8090))) {
 *     List<RoundResult> rounds = server.await(Duration.ofHours(2));
 * }
 * }</pre>
 *
 * <p>Its state is in the job's output folder after each round: a server that is started with the same job and folder goes on there. The
 * model is saved in {@code model} of that folder when all rounds are done.
 */
public final class FederatedServer implements AutoCloseable {
    private static final long FAREWELL_MILLIS = 500;

    private final FederatedJob job;
    private final ServerModel model;
    private final FederatedRounds rounds;
    private final RoundDriver driver;
    private final FederatedEndpoints endpoints;
    private final ListenSettings settings;
    private final Thread thread;
    private final CompletableFuture<List<RoundResult>> ended = new CompletableFuture<>();

    private FederatedServer(FederatedJob job, ListenSettings settings, Consumer<RoundResult> watcher) {
        this.job = job;
        this.settings = settings;
        model = new ServerModel(job);
        rounds = new FederatedRounds(job, model.first());
        RunStore store = new RunStore(job.output());
        store.newest().ifPresent(rounds::restore);
        long origin = System.nanoTime();
        java.util.function.LongSupplier clock = () -> (System.nanoTime() - origin) / 1_000_000;
        ClientRegistry registry = new ClientRegistry(store.clients(), settings);
        driver = new RoundDriver(rounds, model, store, registry, clock, watcher);
        endpoints = new FederatedEndpoints(job, model.shared(), driver, registry, settings, clock);
        thread = new Thread(this::run, "tutti-federated-server");
        thread.setDaemon(true);
    }

    /** Listens, and begins rounds as soon as there are clients. */
    public static FederatedServer start(FederatedJob job, ListenSettings settings) {
        return start(job, settings, result -> {});
    }

    /**
     * The same, telling something about each round.
     *
     * @throws TuttiException if the port is in use, or the folder holds the state of another job
     */
    public static FederatedServer start(FederatedJob job, ListenSettings settings, Consumer<RoundResult> watcher) {
        job.validate();
        FederatedServer server = new FederatedServer(job, settings, watcher);
        try {
            server.endpoints.start();
        } catch (RuntimeException e) {
            server.model.close();
            throw e;
        }
        server.thread.start();
        return server;
    }

    private void run() {
        try {
            driver.run();
            if (rounds.ending().isPresent()) {
                List<RoundResult> results = rounds.results();
                Evaluation last = results.isEmpty()
                        ? null
                        : results.get(results.size() - 1).evaluation();
                model.save(rounds.model(), job.output().resolve("model"), last);
                AtomicFile.write(job.output().resolve("result.json"), Json.write(results) + "\n");
            }
            ended.complete(rounds.results());
        } catch (RuntimeException | Error e) {
            ended.completeExceptionally(e);
        }
    }

    /** Where clients reach it from this machine. */
    public URI uri() {
        String host = settings.host().equals("0.0.0.0") ? "localhost" : settings.host();
        return URI.create((settings.tls().isPresent() ? "https://" : "http://")
                + (host.contains(":") ? "[" + host + "]" : host) + ":" + endpoints.port());
    }

    public int port() {
        return endpoints.port();
    }

    /** Rounds that are done, those of an earlier server with this state included. */
    public List<RoundResult> results() {
        return driver.results();
    }

    /** Why the run has ended; empty while it goes on. */
    public String ending() {
        return driver.ending();
    }

    /** Bytes of updates received so far. */
    public long bytesReceived() {
        return endpoints.bytesReceived();
    }

    /** Bytes of models sent so far. */
    public long bytesSent() {
        return endpoints.bytesSent();
    }

    /**
     * Waits until the run has ended.
     *
     * @throws TuttiException if it failed, or has not ended in time
     */
    public List<RoundResult> await(Duration limit) {
        try {
            return ended.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TuttiException("interrupted while waiting for the federated run", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new TuttiException(
                    "the federated run has not ended after " + limit.toSeconds() + " s: "
                            + results().size() + " of " + job.rounds() + " rounds are done",
                    e);
        }
    }

    /** Stops after what is under way; the state on disk stays, and a round that is open begins again with the next server. */
    @Override
    public void close() {
        boolean farewell = driver.isOver();
        driver.stop();
        try {
            thread.join(Duration.ofSeconds(30).toMillis());
            if (farewell) {
                Thread.sleep(FAREWELL_MILLIS); // clients that were computing ask once more, and hear that it is over
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        endpoints.close();
        if (!thread.isAlive()) {
            model.close();
        }
    }
}
