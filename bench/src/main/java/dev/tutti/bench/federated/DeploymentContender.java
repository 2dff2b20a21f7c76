package dev.tutti.bench.federated;

import dev.tutti.bench.process.ProcessCommand;
import dev.tutti.data.Dataset;
import dev.tutti.data.Mnist;
import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.FederatedJobs;
import dev.tutti.federated.Selection;
import dev.tutti.federated.SharedParameters;
import dev.tutti.federated.client.FederatedClient;
import dev.tutti.federated.server.FederatedServer;
import dev.tutti.federated.server.ListenSettings;
import dev.tutti.federated.simulation.Simulation;
import dev.tutti.host.HostTuning;
import dev.tutti.json.Json;
import dev.tutti.train.checkpoint.SavedModel;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A server and clients in processes of their own, each with the rows of one of 100 clients: {@code DeploymentContender CLIENTS ROUNDS}.
 * Every round asks all of them. Rounds are timed from the end of the first one on, as the peer's are.
 */
public final class DeploymentContender {
    private static final int PARTS = 100;
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private DeploymentContender() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        HostTuning.apply();
        if (arguments[0].equals("client")) {
            takePart(URI.create(arguments[1]), Integer.parseInt(arguments[2]));
            return;
        }
        int clients = Integer.parseInt(arguments[0]);
        Path folder = Files.createTempDirectory("tutti-federated-bench");
        FederatedJob whole = FederatedJobs.find("mnist").rounds(Integer.parseInt(arguments[1]));
        FederatedJob job = whole.forClients()
                .selection(new Selection().minimum(clients))
                .least(clients)
                .output(folder);
        List<Long> ends = new ArrayList<>();
        List<Process> started = new ArrayList<>();
        try (FederatedServer server =
                FederatedServer.start(job, ListenSettings.local(0), round -> ends.add(System.nanoTime()))) {
            for (int i = 0; i < clients; i++) {
                started.add(new ProcessBuilder(ProcessCommand.java(
                                        DeploymentContender.class,
                                        "client",
                                        server.uri().toString(),
                                        Integer.toString(i))
                                .words())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start());
            }
            server.await(LIMIT);
            for (Process process : started) {
                process.waitFor(10, TimeUnit.SECONDS);
            }
        } finally {
            started.forEach(Process::destroyForcibly);
        }
        Map<String, Double> answer = new LinkedHashMap<>();
        answer.put("rounds_per_second", (ends.size() - 1) * 1e9 / (ends.get(ends.size() - 1) - ends.get(0)));
        answer.put("accuracy", accuracy(whole, folder.resolve("model")));
        System.out.println(Json.write(answer).replace("\n", " "));
    }

    private static void takePart(URI server, int part) {
        Dataset rows = Mnist.train().shard(part, PARTS);
        FederatedClient.to(server)
                .name("client" + part)
                .data(FederatedClient.ANY, rows)
                .run();
    }

    private static double accuracy(FederatedJob job, Path model) {
        float[] values;
        try (SavedModel saved = SavedModel.load(model)) {
            values = SharedParameters.of(saved.model(), List.of()).read(saved.model());
        }
        return Simulation.of(job, Mnist.test(), 1).perClient(values).get(0).get("accuracy");
    }
}
