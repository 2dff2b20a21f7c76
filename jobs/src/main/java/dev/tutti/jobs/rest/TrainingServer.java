package dev.tutti.jobs.rest;

import dev.tutti.io.FileException;
import dev.tutti.jobs.learn.LearnRest;
import dev.tutti.jobs.learn.LearningSettings;
import dev.tutti.jobs.learn.OnlineLearner;
import dev.tutti.jobs.queue.JobPlace;
import dev.tutti.jobs.queue.JobService;
import dev.tutti.jobs.queue.ModelPublisher;
import dev.tutti.jobs.queue.Resources;
import dev.tutti.serve.http.EndpointServer;
import dev.tutti.serve.http.HttpSettings;
import dev.tutti.serve.http.InferenceServer;
import dev.tutti.serve.metrics.ServingMetrics;
import dev.tutti.serve.model.ModelRegistry;
import dev.tutti.serve.model.ModelRepository;
import dev.tutti.serve.model.ServingSettings;
import dev.tutti.serve.protocol.InferenceService;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Jobs, the models they publish, and the page, on one port: what {@code ./tutti up} runs. */
public final class TrainingServer implements AutoCloseable {
    private final JobService jobs;
    private final ModelRegistry registry;
    private final OnlineLearner learner;
    private final EndpointServer server;

    private TrainingServer(JobService jobs, ModelRegistry registry, OnlineLearner learner, EndpointServer server) {
        this.jobs = jobs;
        this.registry = registry;
        this.learner = learner;
        this.server = server;
    }

    /** @param folder holds {@code jobs}, {@code models} and {@code learning} */
    public static TrainingServer start(
            Path folder,
            Resources machine,
            ServingSettings serving,
            HttpSettings http,
            Optional<Consumer<String>> accessLog) {
        return start(folder, machine, List.of(), serving, http, LearningSettings.DEFAULT, accessLog);
    }

    /** The same with other places for jobs than this machine, and settings of online learning. */
    public static TrainingServer start(
            Path folder,
            Resources machine,
            List<JobPlace> places,
            ServingSettings serving,
            HttpSettings http,
            LearningSettings learning,
            Optional<Consumer<String>> accessLog) {
        Path models = folder.resolve("models");
        try {
            Files.createDirectories(models);
        } catch (IOException e) {
            throw new FileException(models.toString(), "cannot be made: " + e.getMessage());
        }
        ServingMetrics metrics = new ServingMetrics();
        ModelRegistry registry = new ModelRegistry(new ModelRepository(models), serving, metrics);
        ModelPublisher publisher = new ModelPublisher(models);
        JobService jobs = new JobService(folder.resolve("jobs"), machine, publisher, places);
        OnlineLearner learner =
                new OnlineLearner(folder.resolve("learning"), models, jobs, registry, publisher, learning);
        EndpointServer server = new EndpointServer(http, accessLog);
        try {
            registry.refresh();
            InferenceServer.addRoutes(server, new InferenceService(registry, metrics));
            new JobsRest(jobs).addTo(server);
            new LearnRest(registry, learner).addTo(server);
            PageFiles.addTo(server);
            server.start();
            registry.watch();
            jobs.start();
            learner.start();
            return new TrainingServer(jobs, registry, learner, server);
        } catch (RuntimeException | Error e) {
            server.close();
            jobs.close();
            registry.close();
            throw e;
        }
    }

    public URI uri() {
        return server.uri();
    }

    public JobService jobs() {
        return jobs;
    }

    public ModelRegistry registry() {
        return registry;
    }

    /** Stops answering; jobs that run go on, and the next service finds them. */
    @Override
    public void close() {
        learner.close();
        jobs.close();
        try {
            server.close();
        } finally {
            registry.close();
        }
    }
}
