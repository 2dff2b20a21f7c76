package dev.tutti.testkit.serving;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.TuttiException;
import dev.tutti.cluster.launch.ChildJvm;
import dev.tutti.json.Json;
import dev.tutti.serve.http.HttpSettings;
import dev.tutti.serve.route.RouterServer;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Serves under load while versions are swapped and faults happen, and counts what clients got. The second of two replicas is killed and
 * started again; the first never is, and its memory, threads and files are watched.
 */
public final class ServingSoak {
    private static final int CLIENTS = 8;
    private static final long EVENT_MILLIS = 3_000;
    private static final long SAMPLE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int KEPT_VERSIONS = 4;
    private static final Duration START = Duration.ofMinutes(10); // at a low priority beside other work
    private static final String BODY = "{\"rows\": [[1, 2, 3, 4]]}";

    private final Path folder;
    private final Random random;
    private final int rate;
    private final Consumer<String> people;
    private final List<SoakReport.Sample> samples = new ArrayList<>();
    private final Process[] replicas = new Process[2];
    private final int[] ports = new int[2];
    private final Map<String, Integer> faults = new TreeMap<>();
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong wrong = new AtomicLong();
    private final AtomicReference<String> firstFailure = new AtomicReference<>("");
    private volatile boolean over;
    private long version;

    /**
     * @param folder an empty one for models and logs
     * @param rate how many requests all clients send in a second; 0: each sends the next when it has an answer
     */
    public ServingSoak(Path folder, long seed, int rate, Consumer<String> people) {
        this.folder = folder;
        this.random = new Random(seed);
        this.rate = rate;
        this.people = people;
    }

    /** Runs for so long; all processes have ended when this returns. */
    public SoakReport run(Duration time) {
        try {
            return soak(time);
        } catch (IOException e) {
            throw new TuttiException("the soak failed: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TuttiException("the soak was interrupted");
        } finally {
            over = true;
            for (Process replica : replicas) {
                if (replica != null) {
                    replica.destroyForcibly();
                }
            }
        }
    }

    private SoakReport soak(Duration time) throws IOException, InterruptedException {
        publish();
        for (int i = 0; i < replicas.length; i++) {
            try (ServerSocket socket = new ServerSocket(0)) {
                ports[i] = socket.getLocalPort();
            }
            start(i);
        }
        List<URI> uris = List.of(uri(0), uri(1));
        try (RouterServer router = RouterServer.start(uris, HttpSettings.local(0), Optional.empty())) {
            awaitReady(0);
            awaitReady(1);
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Thread client = new Thread(() -> ask(router.uri()), "soak client " + i);
                client.start();
                clients.add(client);
            }
            long began = System.nanoTime();
            long end = began + time.toNanos();
            long nextSample = began;
            ProcessUse early = ProcessUse.of(replicas[0].pid());
            while (System.nanoTime() - end < 0) {
                Thread.sleep(EVENT_MILLIS);
                if (System.nanoTime() - began < time.toNanos() / 4) {
                    early = ProcessUse.of(replicas[0].pid());
                }
                if (System.nanoTime() - nextSample >= 0) {
                    sample(began);
                    nextSample = System.nanoTime() + SAMPLE_NANOS;
                }
                happen(router.uri());
                people.accept(answered + " answered, " + refused + " refused, " + failed + " failed, " + wrong
                        + " wrong, version " + version + ", " + faults);
            }
            over = true;
            for (Thread client : clients) {
                client.join(TimeUnit.SECONDS.toMillis(90));
            }
            sample(began);
            return new SoakReport(
                    (System.nanoTime() - began) / 60e9,
                    rate,
                    answered.get(),
                    refused.get(),
                    failed.get(),
                    wrong.get(),
                    version,
                    faults,
                    early,
                    ProcessUse.of(replicas[0].pid()),
                    samples,
                    firstFailure.get());
        }
    }

    private void sample(long began) {
        samples.add(new SoakReport.Sample(
                (System.nanoTime() - began) / 60e9,
                answered.get(),
                ProcessUse.of(replicas[0].pid()),
                ProcessUse.of(ProcessHandle.current().pid())));
    }

    // ---- clients

    private void ask(URI router) {
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        HttpRequest request = HttpRequest.newBuilder(router.resolve("/models/m/predict"))
                .header("Content-Type", "application/json")
                .timeout(Duration.ofSeconds(60))
                .POST(HttpRequest.BodyPublishers.ofString(BODY))
                .build();
        long pause = rate == 0 ? 0 : (long) (CLIENTS * 1e9 / rate);
        while (!over) {
            try {
                TimeUnit.NANOSECONDS.sleep(pause);
                HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
                if (response.statusCode() == 200) {
                    judge(Json.read(response.body(), JsonNode.class, "answer"));
                } else if (response.statusCode() == 429) {
                    refused.incrementAndGet();
                } else {
                    failed(response.statusCode() + " " + response.body());
                }
            } catch (IOException e) {
                failed(e.toString());
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void failed(String why) {
        failed.incrementAndGet();
        firstFailure.compareAndSet("", why);
        people.accept("failed: " + why);
    }

    private void judge(JsonNode answer) {
        long said = answer.path("version").asLong();
        long mark = Math.round(answer.at("/predictions/0/output/0").asDouble(-1));
        if (said != mark || said < 1) {
            wrong.incrementAndGet();
            firstFailure.compareAndSet("", "version " + said + " answered " + mark);
        } else {
            answered.incrementAndGet();
        }
    }

    // ---- what happens

    private void happen(URI router) throws IOException, InterruptedException {
        publish();
        int kind = random.nextInt(10);
        if (kind < 2) {
            count("kill -9 of a replica");
            replicas[1].destroyForcibly().waitFor();
            start(1);
            awaitReady(1);
        } else if (kind < 4) {
            count("a replica stopped for 2 s");
            signal("STOP", replicas[kind - 2].pid());
            try {
                Thread.sleep(2_000);
            } finally {
                signal("CONT", replicas[kind - 2].pid());
            }
        } else if (kind < 6) {
            count("500 idle connections");
            idle(ports[0], 500);
        } else if (kind < 8) {
            count("bytes that are no request");
            garbage(ports[kind - 6]);
        } else {
            count("a body of 1 GB");
            large(router);
        }
    }

    private void count(String fault) {
        faults.merge(fault, 1, Integer::sum);
    }

    /** Puts the next version into the repository whole, and removes the oldest. */
    private void publish() throws IOException {
        version++;
        Path models = folder.resolve("models/m");
        Files.createDirectories(models);
        Path made = folder.resolve("made");
        MarkedModel.write(made, version);
        Files.move(made, models.resolve(Long.toString(version)), StandardCopyOption.ATOMIC_MOVE);
        Path old = models.resolve(Long.toString(version - KEPT_VERSIONS));
        if (Files.isDirectory(old)) {
            try (Stream<Path> files = Files.walk(old)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private void start(int place) {
        replicas[place] = ChildJvm.of(
                        ReplicaMain.class.getName(),
                        "replica-" + place,
                        List.of(folder.resolve("models").toString(), Integer.toString(ports[place])))
                .withOptions(List.of("-Xmx256m"))
                .startDetachedWithoutInput(folder.resolve("replica-" + place + ".log"));
    }

    private URI uri(int place) {
        return URI.create("http://127.0.0.1:" + ports[place]);
    }

    private void awaitReady(int place) throws InterruptedException {
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest request = HttpRequest.newBuilder(uri(place).resolve("/v2/health/ready"))
                .timeout(Duration.ofSeconds(2))
                .build();
        long deadline = System.nanoTime() + START.toNanos();
        while (System.nanoTime() - deadline < 0) {
            try {
                if (client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200) {
                    return;
                }
            } catch (IOException e) {
                // It does not listen yet.
            }
            Thread.sleep(50);
        }
        throw new TuttiException("a replica did not get ready: see " + folder.resolve("replica-" + place + ".log"));
    }

    private static void signal(String name, long pid) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor();
    }

    private static void idle(int port, int count) throws IOException, InterruptedException {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                sockets.add(new Socket("127.0.0.1", port));
            }
            Thread.sleep(1_000);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private void garbage(int port) {
        byte[] bytes = new byte[4_096];
        for (int i = 0; i < 20; i++) {
            random.nextBytes(bytes);
            try (Socket socket = new Socket("127.0.0.1", port)) {
                socket.getOutputStream().write(bytes);
            } catch (IOException e) {
                // It was refused, as it should be.
            }
        }
    }

    private static void large(URI router) {
        byte[] piece = new byte[1 << 20];
        try (Socket socket = new Socket("127.0.0.1", router.getPort())) {
            socket.getOutputStream()
                    .write(("POST /models/m/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " + (1L << 30)
                                    + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            for (int i = 0; i < 1 << 10; i++) {
                socket.getOutputStream().write(piece);
            }
        } catch (IOException e) {
            // It was cut off, as it should be.
        }
    }
}
