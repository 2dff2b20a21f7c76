package dev.tutti.bench.federated;

import dev.tutti.federated.ClientState;
import dev.tutti.federated.ClientUpdate;
import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.FederatedJobs;
import dev.tutti.federated.Selection;
import dev.tutti.federated.SharedParameters;
import dev.tutti.federated.server.FederatedServer;
import dev.tutti.federated.server.ListenSettings;
import dev.tutti.federated.server.RoundResult;
import dev.tutti.federated.wire.EnrolReply;
import dev.tutti.federated.wire.UpdateCodec;
import dev.tutti.federated.wire.UpdateEncoding;
import dev.tutti.federated.wire.WorkItem;
import dev.tutti.host.HostTuning;
import dev.tutti.json.Json;
import dev.tutti.nn.Model;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One server with many connected clients of which some are asked: {@code IdleClientsContender CLIENTS FRACTION ROUNDS}. The clients hold
 * their connections in the same process and answer at once, with a model that was not trained: what is measured is the server.
 */
public final class IdleClientsContender {
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private final URI server;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final UpdateCodec codec;
    private final int size;

    private IdleClientsContender(URI server, SharedParameters shared) {
        this.server = server;
        codec = new UpdateCodec(shared, UpdateEncoding.FLOAT32);
        size = shared.size();
    }

    public static void main(String[] arguments) throws IOException {
        HostTuning.apply();
        int clients = Integer.parseInt(arguments[0]);
        Path folder = Files.createTempDirectory("tutti-federated-bench");
        FederatedJob job = FederatedJobs.find("mnist")
                .forClients()
                .rounds(Integer.parseInt(arguments[2]))
                .selection(new Selection()
                        .fraction(Double.parseDouble(arguments[1]))
                        .available(clients))
                .output(folder);
        SharedParameters shared;
        try (Model model = job.build()) {
            shared = SharedParameters.of(model, List.of());
        }
        ListenSettings settings = ListenSettings.local(0).limits(clients, 1000);
        try (FederatedServer running = FederatedServer.start(job, settings)) {
            IdleClientsContender all = new IdleClientsContender(running.uri(), shared);
            List<CompletableFuture<Void>> waiting = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                waiting.add(all.poll(all.enrol(i)));
            }
            List<RoundResult> rounds = running.await(LIMIT);
            waiting.forEach(client ->
                    client.completeOnTimeout(null, 5, TimeUnit.SECONDS).join());
            double seconds = rounds.stream()
                    .skip(1)
                    .mapToDouble(RoundResult::seconds)
                    .average()
                    .orElse(Double.NaN);
            long answers = rounds.stream().mapToLong(RoundResult::answers).sum();
            Map<String, Double> answer = new LinkedHashMap<>();
            answer.put("seconds_per_round", seconds);
            answer.put("peak_mb", ResidentMemory.peakMegabytes());
            answer.put("bytes_up", running.bytesReceived() / (double) answers);
            answer.put("bytes_down", running.bytesSent() / (double) answers);
            System.out.println(Json.write(answer).replace("\n", " "));
        }
    }

    private HttpRequest.Builder request(String path, String key) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(server.resolve(path)).timeout(Duration.ofSeconds(60));
        return key.isEmpty() ? request : request.header("authorization", "Bearer " + key);
    }

    private EnrolReply enrol(int number) {
        HttpRequest request = request("/v1/enrol", "")
                .POST(HttpRequest.BodyPublishers.ofString("{\"name\": \"c" + number + "\"}"))
                .build();
        return http.sendAsync(request, HttpResponse.BodyHandlers.ofString())
                .thenApply(reply -> Json.read(reply.body(), EnrolReply.class, "the server's answer"))
                .join();
    }

    private CompletableFuture<Void> poll(EnrolReply client) {
        return http.sendAsync(
                        request("/v1/work?wait=20", client.key()).GET().build(), HttpResponse.BodyHandlers.ofString())
                .thenCompose(reply -> {
                    WorkItem item = Json.read(reply.body(), WorkItem.class, "the server's answer");
                    if (item.kind().equals(WorkItem.FINISHED)) {
                        return CompletableFuture.completedFuture(null);
                    }
                    return (item.kind().equals(WorkItem.TRAIN)
                                    ? answer(client, item)
                                    : CompletableFuture.completedFuture(null))
                            .thenCompose(done -> poll(client));
                });
    }

    private CompletableFuture<Void> answer(EnrolReply client, WorkItem item) {
        String path = "/v1/rounds/" + item.round();
        return http.sendAsync(
                        request(path + "/model", client.key()).GET().build(), HttpResponse.BodyHandlers.ofByteArray())
                .thenCompose(model -> {
                    byte[] update = codec.encode(
                            ClientUpdate.of(client.client(), item.round(), 600, new float[size]), new ClientState());
                    return http.sendAsync(
                            request(path + "/update", client.key())
                                    .PUT(HttpRequest.BodyPublishers.ofByteArray(update))
                                    .build(),
                            HttpResponse.BodyHandlers.discarding());
                })
                .thenApply(done -> null);
    }
}
