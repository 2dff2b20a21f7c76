package dev.tutti.federated.client;

import dev.tutti.TuttiException;
import dev.tutti.federated.wire.EnrolReply;
import dev.tutti.federated.wire.EnrolRequest;
import dev.tutti.federated.wire.FederatedPaths;
import dev.tutti.federated.wire.JobNotice;
import dev.tutti.federated.wire.WorkItem;
import dev.tutti.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls to the server, all of them outward. A call that fails for the network is tried again, with growing pauses, until the client's
 * patience ends; a transfer that broke goes on where it was.
 */
final class ServerConnection {
    private static final Logger LOG = LoggerFactory.getLogger(ServerConnection.class);
    private static final Duration CALL = Duration.ofSeconds(60);
    private static final int PIECE = 4 << 20;
    private static final int WAIT_SECONDS = 20;
    private static final long FIRST_PAUSE = 200;
    private static final long LONGEST_PAUSE = 5_000;

    private final URI server;
    private final HttpClient http;
    private final Duration patience;
    private final BooleanSupplier stopped;
    private String key = "";

    ServerConnection(URI server, Optional<SSLContext> tls, Duration patience, BooleanSupplier stopped) {
        this.server = server;
        this.patience = patience;
        this.stopped = stopped;
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(10));
        tls.ifPresent(builder::sslContext);
        http = builder.build();
    }

    void useKey(String newKey) {
        key = newKey;
    }

    EnrolReply enrol(EnrolRequest request) {
        return Json.read(
                text(require(
                        call("POST", FederatedPaths.ENROL, Json.write(request).getBytes(StandardCharsets.UTF_8)))),
                EnrolReply.class,
                "the server's answer");
    }

    JobNotice job() {
        return Json.read(text(require(call("GET", FederatedPaths.JOB, null))), JobNotice.class, "the server's job");
    }

    /** Whether the key is still one of the server's. */
    boolean isKnown() {
        return call("GET", FederatedPaths.JOB, null).statusCode() != 401;
    }

    WorkItem work() {
        return Json.read(
                text(require(call("GET", FederatedPaths.WORK + "?wait=" + WAIT_SECONDS, null))),
                WorkItem.class,
                "the server's answer");
    }

    /** The model of a round, fetched in pieces, of which only a broken one is fetched again; empty if the server is in another round. */
    Optional<byte[]> model(int round) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        String path = FederatedPaths.of(FederatedPaths.MODEL, round);
        while (true) {
            HttpResponse<byte[]> response =
                    call("GET", path, null, "range", "bytes=" + all.size() + "-" + (all.size() + PIECE - 1));
            if (response.statusCode() == 409) {
                return Optional.empty();
            }
            require(response);
            all.writeBytes(response.body());
            String range = response.headers().firstValue("content-range").orElse("/" + all.size());
            if (all.size() >= Long.parseLong(range.substring(range.lastIndexOf('/') + 1))) {
                return Optional.of(all.toByteArray());
            }
        }
    }

    /** Sends an update in pieces; gives the status of the answer to the last one. */
    int update(int round, byte[] bytes) {
        String path = FederatedPaths.of(FederatedPaths.UPDATE, round);
        int from = 0;
        while (true) {
            int to = Math.min(bytes.length, from + PIECE);
            HttpResponse<byte[]> response = call(
                    "PUT",
                    path,
                    Arrays.copyOfRange(bytes, from, to),
                    FederatedPaths.OFFSET,
                    Integer.toString(from),
                    FederatedPaths.LENGTH,
                    Integer.toString(bytes.length));
            if (response.statusCode() == 202) {
                from = to;
            } else if (response.statusCode() == 409
                    && from > 0
                    && text(response).contains("piece begins")) {
                from = Json.read(text(require(call("GET", path, null))), Offset.class, "the server's answer").offset;
            } else {
                return response.statusCode();
            }
        }
    }

    private record Offset(int offset) {}

    int put(String path, int round, byte[] bytes) {
        return call("PUT", FederatedPaths.of(path, round), bytes).statusCode();
    }

    void decline(int round, String reason) {
        call("POST", FederatedPaths.of(FederatedPaths.DECLINE, round), reason.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(HttpResponse<byte[]> response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    private HttpResponse<byte[]> require(HttpResponse<byte[]> response) {
        if (response.statusCode() / 100 != 2) {
            throw new TuttiException("the server " + server + " refused a call with status " + response.statusCode()
                    + ": " + text(response));
        }
        return response;
    }

    /** One call, again until it gets through; a status other than of an overloaded server is an answer. */
    private HttpResponse<byte[]> call(String method, String path, byte[] body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.resolve(path))
                .timeout(CALL)
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
        if (!key.isEmpty()) {
            request.header("authorization", "Bearer " + key);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        long giveUp = System.nanoTime() + patience.toNanos();
        long pause = FIRST_PAUSE;
        while (true) {
            String problem;
            try {
                HttpResponse<byte[]> response = http.send(request.build(), BodyHandlers.ofByteArray());
                if (response.statusCode() != 503 && response.statusCode() != 429) {
                    return response;
                }
                problem = "it is busy (" + response.statusCode() + ")";
            } catch (IOException e) {
                problem = e.getMessage() == null ? e.toString() : e.getMessage();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new TuttiException("interrupted while calling the server " + server, e);
            }
            if (stopped.getAsBoolean() || System.nanoTime() > giveUp) {
                throw new TuttiException(
                        "the server " + server + " was not reached for " + patience.toSeconds() + " s: " + problem);
            }
            LOG.debug("The server {} is not reached, another try in {} ms: {}", server, pause, problem);
            sleep(pause);
            pause = Math.min(LONGEST_PAUSE, pause * 2);
        }
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TuttiException("interrupted while waiting for the server", e);
        }
    }
}
