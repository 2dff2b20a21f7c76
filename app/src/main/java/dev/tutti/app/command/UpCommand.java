package dev.tutti.app.command;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.io.FileException;
import dev.tutti.jobs.learn.LearningSettings;
import dev.tutti.jobs.queue.JobPlace;
import dev.tutti.jobs.queue.Resources;
import dev.tutti.jobs.rest.TrainingServer;
import dev.tutti.serve.model.ServingSettings;
import dev.tutti.spark.launch.DriverOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
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
    private static final String SPARK_JARS = "tutti.spark.jars";

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

    @Option(names = "--devices", paramLabel = "N", description = "NVIDIA cards to give to jobs; all by default.")
    private Integer devices;

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
        Resources machine = new Resources(
                cores == null ? all.cores() : cores,
                memory == null ? all.memoryMegabytes() : memory,
                devices == null ? all.devices() : devices);
        CountDownLatch stop = new CountDownLatch(1);
        try (Interruption interruption = Interruption.listen(() -> {
                    people().println("Stopping; running jobs go on.");
                    stop.countDown();
                });
                TrainingServer server = TrainingServer.start(
                        folder,
                        machine,
                        places(),
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

    /** Spark, where its jars are: the processes of its jobs get them, the service itself does without. */
    private static List<JobPlace> places() {
        String known = System.getProperty(SPARK_JARS);
        if (known == null || !Files.isDirectory(Path.of(known))) {
            return List.of();
        }
        List<String> options = new ArrayList<>(DriverOptions.OPENS);
        options.addAll(List.of(
                "-XX:+IgnoreUnrecognizedVMOptions",
                "-Djdk.reflect.useDirectMethodHandle=false",
                "-Dio.netty.tryReflectionSetAccessible=true"));
        String address = System.getenv().getOrDefault("SPARK_LOCAL_IP", "127.0.0.1");
        try (Stream<Path> jars = Files.list(Path.of(known))) {
            List<Path> classes = jars.filter(jar -> jar.toString().endsWith(".jar"))
                    .filter(jar -> !jar.getFileName().toString().startsWith("log4j-slf4j2-impl-")) // Tutti's logging
                    .sorted()
                    .toList();
            return List.of(new JobPlace("spark", classes, options, Map.of("SPARK_LOCAL_IP", address)));
        } catch (IOException e) {
            throw new FileException(known, "cannot be listed: " + e.getMessage());
        }
    }
}
