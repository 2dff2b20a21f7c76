package dev.tutti.app.command;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.jobs.learn.LearningSettings;
import dev.tutti.jobs.queue.Resources;
import dev.tutti.jobs.rest.TrainingServer;
import dev.tutti.serve.model.ServingSettings;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the job service. */
@Command(
        name = "up",
        sortOptions = false,
        description =
                "Runs a service for jobs: submit them over REST, look at them on a page, serve what they publish.",
        footer = {
            "",
            "Ctrl-C stops the service; running jobs go on, and the next ./tutti up finds them. See docs/jobs.md."
        })
public final class UpCommand extends TuttiCommand {
    @Mixin
    private HttpOptions http;

    @Option(
            names = "--folder",
            paramLabel = "FOLDER",
            defaultValue = "service",
            description = "Where jobs and published models are kept; 'service' by default.")
    private Path folder;

    @Option(names = "--cores", paramLabel = "N", description = "Cores to give to jobs; all by default.")
    private Integer cores;

    @Option(names = "--memory", paramLabel = "MB", description = "Memory to give to jobs; nine tenths by default.")
    private Long memory;

    @Option(
            names = "--learn-after",
            paramLabel = "N",
            defaultValue = "256",
            description = "New examples of POST /models/M/learn after which a model learns on; 256.")
    private int learnAfter;

    @Option(
            names = "--learn-distill",
            paramLabel = "SHARE",
            defaultValue = "0",
            description = "The share of the loss that holds a learning model's answers near to those of the version"
                    + " before, so that less is forgotten; 0.")
    private double learnDistill;

    public UpCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        Resources all = Resources.ofThisMachine();
        Resources machine =
                new Resources(cores == null ? all.cores() : cores, memory == null ? all.memoryMegabytes() : memory);
        CountDownLatch stop = new CountDownLatch(1);
        try (Interruption interruption = Interruption.listen(() -> {
                    people().println("Stopping; running jobs go on.");
                    stop.countDown();
                });
                TrainingServer server = TrainingServer.start(
                        folder,
                        machine,
                        ServingSettings.standard(),
                        http.settings(),
                        new LearningSettings(
                                learnAfter,
                                LearningSettings.DEFAULT.heldOutEvery(),
                                LearningSettings.DEFAULT.judgingExamples(),
                                LearningSettings.DEFAULT.window(),
                                LearningSettings.DEFAULT.cores(),
                                learnDistill),
                        http.accessLog() ? Optional.of(line -> console().err().println(line)) : Optional.empty())) {
            people().println("The page is at " + server.uri() + "/, jobs are kept in " + folder + ". A job:");
            people().println(
                            "  curl -H 'Content-Type: application/json' -d '{\"job\": \"mnist\", \"publish\": \"digits\"}' "
                                    + server.uri() + "/api/jobs");
            answer(Map.of("uri", server.uri().toString(), "folder", folder.toString()));
            stop.await();
            return ExitCode.FINE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCode.INTERRUPTED;
        }
    }
}
