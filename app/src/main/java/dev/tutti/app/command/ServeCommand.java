package dev.tutti.app.command;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.jobs.predict.CutModelProcesses;
import dev.tutti.nn.ComputePrecision;
import dev.tutti.serve.batch.BatchingSettings;
import dev.tutti.serve.http.HttpSettings;
import dev.tutti.serve.http.InferenceServer;
import dev.tutti.serve.model.ServedModel;
import dev.tutti.serve.model.ServingSettings;
import dev.tutti.strategy.parallel.Parallel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Serves models. */
@Command(
        name = "serve",
        sortOptions = false,
        description = "Serves a model, or a folder of models, over HTTP and gRPC.",
        footer = {"", "Protocols, versions, labels, batching, keys: docs/serving.md."})
public final class ServeCommand extends TuttiCommand {
    @Parameters(
            index = "0",
            paramLabel = "MODEL|REPOSITORY",
            description = "A saved model, a run, or a folder of models with versions.")
    private Path repository;

    @Mixin
    private HttpOptions http;

    @Option(
            names = "--replicas",
            paramLabel = "N",
            description = "Replicas that compute side by side; one for each core.")
    private Integer replicas;

    @Option(names = "--threads", paramLabel = "N", defaultValue = "1", description = "Cores of one replica; 1.")
    private int threads;

    @Option(
            names = "--precision",
            paramLabel = "FORMAT",
            defaultValue = "float32",
            description = "What products are computed in: float32 (default), bf16, or fp16 for graphics cards.")
    private String precision;

    @Option(names = "--max-batch", paramLabel = "ROWS", defaultValue = "64", description = "Rows of one batch; 64.")
    private int maxBatch;

    @Option(
            names = "--max-delay",
            paramLabel = "MS",
            defaultValue = "2",
            description = "Longest wait for others, under load alone; 2 ms.")
    private double maxDelay;

    @Option(
            names = "--queue",
            paramLabel = "ROWS",
            defaultValue = "2048",
            description = "Rows that may wait; more are refused with 429. 2048.")
    private int queue;

    @Option(
            names = "--deadline",
            paramLabel = "SECONDS",
            defaultValue = "30",
            description = "Time of a request that asks for no less; 30.")
    private double deadline;

    @Option(
            names = "--strategy",
            paramLabel = "GRID",
            description = "Cut models among processes, such as '{type: parallel, pipeline: 2}': none holds all of one.")
    private String strategy;

    public ServeCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        ServingSettings settings = ServingSettings.standard()
                .threads(threads)
                .precision(ComputePrecision.named(precision))
                .batching(BatchingSettings.DEFAULT
                        .maxRows(maxBatch)
                        .maxDelay(Duration.ofNanos((long) (maxDelay * 1e6)))
                        .queueRows(queue)
                        .deadline(Duration.ofNanos((long) (deadline * 1e9))));
        if (replicas != null) {
            settings = settings.replicas(replicas);
        }
        Optional<Parallel> grid = ModelCommand.cut(strategy);
        if (grid.isPresent()) {
            settings = settings.loader(folder -> CutModelProcesses.start(folder, grid.get()));
        }
        HttpSettings settingsOfHttp = http.settings();
        CountDownLatch stop = new CountDownLatch(1);
        long began = System.nanoTime();
        try (Interruption interruption = Interruption.listen(() -> {
                    people().println("Stopping: answers under way are finished ... (Ctrl-C again ends at once)");
                    stop.countDown();
                });
                InferenceServer server = InferenceServer.start(repository, settings, settingsOfHttp, accessLog())) {
            introduce(server, (System.nanoTime() - began) / 1e9);
            stop.await();
            return ExitCode.FINE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCode.INTERRUPTED;
        }
    }

    private Optional<Consumer<String>> accessLog() {
        return http.accessLog() ? Optional.of(line -> console().err().println(line)) : Optional.empty();
    }

    private void introduce(InferenceServer server, double seconds) {
        for (ServedModel model : server.registry().models()) {
            model.preferred()
                    .ifPresentOrElse(
                            version -> people().println(version + ": input " + version.inputShape() + ", outputs "
                                    + version.signature().outputs().get(0).shape()),
                            () -> people().println(model.name() + " cannot be served: " + model.failures()));
        }
        people().printf(java.util.Locale.ROOT, "Serving at %s after %.1f s; try:%n", server.uri(), seconds);
        server.registry().models().stream().findFirst().ifPresent(model -> {
            people().println("  curl " + server.uri() + "/v2/models/" + model.name());
            people().println("  curl -H 'Content-Type: image/png' --data-binary @digit.png " + server.uri() + "/models/"
                    + model.name() + "/predict");
        });
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("uri", server.uri().toString());
        answer.put(
                "models",
                server.registry().models().stream().map(ServedModel::name).toList());
        answer(answer);
        console().out().flush();
    }
}
