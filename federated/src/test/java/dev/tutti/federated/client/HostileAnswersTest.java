package dev.tutti.federated.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.federated.ClientState;
import dev.tutti.federated.ClientUpdate;
import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.SharedParameters;
import dev.tutti.federated.server.FederatedServer;
import dev.tutti.federated.server.ListenSettings;
import dev.tutti.federated.server.RoundResult;
import dev.tutti.federated.wire.EnrolReply;
import dev.tutti.federated.wire.UpdateCodec;
import dev.tutti.federated.wire.UpdateEncoding;
import dev.tutti.federated.wire.WorkItem;
import dev.tutti.json.Json;
import dev.tutti.nn.Model;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that answer with anything, by hand over HTTP: each is counted and refused, and the round is made by the others. */
@Timeout(120)
class HostileAnswersTest {
    @TempDir
    private Path folder;

    private final HttpClient http = HttpClient.newHttpClient();
    private URI server;
    private UpdateCodec codec;
    private int size;

    private HttpResponse<String> call(EnrolReply client, String method, String path, byte[] body, String... headers)
            throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.resolve(path))
                .timeout(Duration.ofSeconds(30))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
        if (client != null) {
            request.header("authorization", "Bearer " + client.key());
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), BodyHandlers.ofString());
    }

    private EnrolReply enrol(String name) throws Exception {
        return Json.read(
                call(null, "POST", "/v1/enrol", ("{\"name\":\"" + name + "\"}").getBytes(StandardCharsets.UTF_8))
                        .body(),
                EnrolReply.class,
                "enrolment");
    }

    private WorkItem work(EnrolReply client) throws Exception {
        return Json.read(call(client, "GET", "/v1/work?wait=10", null).body(), WorkItem.class, "work");
    }

    private byte[] update(EnrolReply client, int round, float value) {
        float[] delta = new float[size];
        Arrays.fill(delta, value);
        return codec.encode(ClientUpdate.of(client.client(), round, 5, delta), new ClientState());
    }

    private HttpResponse<String> put(EnrolReply client, int round, byte[] body, String... headers) throws Exception {
        return call(client, "PUT", "/v1/rounds/" + round + "/update", body, headers);
    }

    @Test
    void answersThatAreNoneAreCountedAndRefused() throws Exception {
        FederatedJob job = ClusterRows.job(folder)
                .selection(new dev.tutti.federated.Selection().minimum(6))
                .deadline(Duration.ofSeconds(8))
                .rounds(1);
        try (Model model = job.build()) {
            SharedParameters shared = SharedParameters.of(model, List.of());
            codec = new UpdateCodec(shared, UpdateEncoding.FLOAT32);
            size = shared.size();
        }
        try (FederatedServer running = FederatedServer.start(job, ListenSettings.local(0))) {
            server = running.uri();
            EnrolReply[] clients = new EnrolReply[6];
            for (int i = 0; i < clients.length; i++) {
                clients[i] = enrol("c" + i);
                call(clients[i], "GET", "/v1/work?wait=0", null); // now it is present
            }
            assertThat(work(clients[0]).kind()).isEqualTo(WorkItem.TRAIN);

            assertThat(put(clients[0], 1, update(clients[0], 1, 0.5f)).statusCode())
                    .isEqualTo(200);
            assertThat(put(clients[0], 1, update(clients[0], 1, 0.5f)).body()).contains("doubled");
            assertThat(put(clients[1], 1, update(clients[1], 1, Float.NaN)).statusCode())
                    .as("not finite")
                    .isEqualTo(422);
            assertThat(put(clients[2], 1, Arrays.copyOf(update(clients[2], 1, 1), 500))
                            .body())
                    .as("cut short")
                    .contains("malformed");
            assertThat(put(clients[3], 7, update(clients[3], 7, 1)).body())
                    .as("another round")
                    .contains("old_round");
            assertThat(put(clients[3], 1, update(clients[3], 2, 1)).body())
                    .as("another round within")
                    .contains("malformed");
            assertThat(call(null, "GET", "/v1/job", null).statusCode()).isEqualTo(401);
            assertThat(twoGigabytes(clients[4])).contains(" 413 ");

            byte[] whole = update(clients[5], 1, 0.25f); // in two pieces, of which the second comes twice
            byte[] first = Arrays.copyOf(whole, 300);
            byte[] rest = Arrays.copyOfRange(whole, 300, whole.length);
            String length = Integer.toString(whole.length);
            assertThat(put(clients[5], 1, first, "upload-offset", "0", "upload-length", length)
                            .statusCode())
                    .isEqualTo(202);
            assertThat(call(clients[5], "GET", "/v1/rounds/1/update", null).body())
                    .contains("300");
            assertThat(put(clients[5], 1, rest, "upload-offset", "400", "upload-length", length)
                            .statusCode())
                    .as("a gap")
                    .isEqualTo(409);
            assertThat(put(clients[5], 1, rest, "upload-offset", "300", "upload-length", length)
                            .statusCode())
                    .isEqualTo(200);

            RoundResult round = running.await(Duration.ofSeconds(30)).get(0);
            assertThat(round.answers()).isEqualTo(2);
            assertThat(round.verdicts()).containsEntry("doubled", 1).containsEntry("old_round", 1);
            assertThat(round.verdicts().get("malformed")).isGreaterThanOrEqualTo(4);
        }
    }

    /** Announces two gigabytes and sends some of them; the server answers without waiting for the rest. */
    private String twoGigabytes(EnrolReply client) throws IOException {
        try (Socket socket = new Socket(server.getHost(), server.getPort())) {
            socket.setSoTimeout(20_000);
            OutputStream out = socket.getOutputStream();
            out.write(("PUT /v1/rounds/1/update HTTP/1.1\r\nhost: x\r\nauthorization: Bearer " + client.key()
                            + "\r\ncontent-length: 2147483648\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            try {
                byte[] piece = new byte[1 << 16];
                for (int i = 0; i < 64; i++) {
                    out.write(piece);
                }
                out.flush();
            } catch (IOException e) {
                // the server has closed the connection, as it may
            }
            InputStream in = socket.getInputStream();
            byte[] answer = new byte[200];
            int read = in.read(answer);
            return new String(answer, 0, Math.max(0, read), StandardCharsets.US_ASCII);
        }
    }
}
