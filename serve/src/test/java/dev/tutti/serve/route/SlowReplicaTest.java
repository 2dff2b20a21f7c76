package dev.tutti.serve.route;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.tutti.serve.HttpTester;
import dev.tutti.serve.http.HttpSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** A replica that answers its health checks at once and predictions much later than the others. */
class SlowReplicaTest {
    private static final String ROW = "{\"rows\": [[1, 2, 3, 4]]}";
    private static final int CLIENTS = 6;
    private static final int FAST_MILLIS = 5;
    private static final int SLOW_MILLIS = 600;

    /** A serving process as the router sees it, with a pace that can be changed. */
    private static final class PacedReplica implements AutoCloseable {
        private final ExecutorService threads = Executors.newCachedThreadPool();
        private final HttpServer server;
        private final AtomicInteger asked = new AtomicInteger();
        private final AtomicInteger answers = new AtomicInteger();
        private volatile int millis = FAST_MILLIS;
        private volatile boolean hangs; // health checks and predictions alike

        PacedReplica() throws IOException {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.setExecutor(threads);
            server.createContext("/v2/health/ready", exchange -> {
                pause(0);
                exchange.sendResponseHeaders(200, -1);
                exchange.close();
            });
            server.createContext("/models/m/predict", exchange -> {
                exchange.getRequestBody().readAllBytes();
                asked.incrementAndGet();
                pause(millis);
                byte[] answer = "{\"predictions\": []}".getBytes(StandardCharsets.UTF_8);
                answers.incrementAndGet();
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
                exchange.close();
            });
            server.start();
        }

        private void pause(int least) {
            try {
                Thread.sleep(least);
                while (hangs) {
                    Thread.sleep(10);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        URI uri() {
            return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        }

        @Override
        public void close() {
            server.stop(0);
            threads.shutdownNow();
        }
    }

    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            Thread.sleep(10);
        }
    }

    @Test
    void oneThatIsMuchSlowerThanTheOthersRestsAndIsLetBackIn() throws Exception {
        try (PacedReplica first = new PacedReplica();
                PacedReplica second = new PacedReplica();
                RouterServer router = RouterServer.start(
                        List.of(first.uri(), second.uri()), HttpSettings.local(0), Optional.empty())) {
            await("both are well", () -> router.wellReplicas() == 2);
            AtomicBoolean stop = new AtomicBoolean();
            Set<String> wrong = new ConcurrentSkipListSet<>();
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Thread client = new Thread(() -> {
                    HttpTester http = new HttpTester(router.uri());
                    while (!stop.get()) {
                        HttpTester.Reply reply = http.post("/models/m/predict", ROW);
                        if (reply.status() != 200) {
                            wrong.add(reply.status() + " " + reply.body());
                        }
                    }
                });
                clients.add(client);
                client.start();
            }
            try {
                HttpTester admin = new HttpTester(router.uri());
                await("both get requests", () -> first.answers.get() > 100 && second.answers.get() > 100);
                await("replicas of one pace are both well", () -> router.wellReplicas() == 2);

                second.millis = SLOW_MILLIS;
                await("the slow one rests", () -> admin.get("/replicas").body().contains("slow"));
                Thread.sleep(SLOW_MILLIS); // requests that were on their way to it have arrived
                int asked = second.asked.get();
                int others = first.answers.get();
                await("the other one answers", () -> first.answers.get() > others + 10);
                if (admin.get("/replicas").body().contains("slow")) { // else its rest was over meanwhile
                    assertThat(second.asked.get()).as("requests while it rests").isEqualTo(asked);
                }

                second.millis = FAST_MILLIS;
                await("it is let back in", () -> router.wellReplicas() == 2);
                int back = second.answers.get();
                await("and gets requests", () -> second.answers.get() > back + 50);
            } finally {
                stop.set(true);
                for (Thread client : clients) {
                    client.join();
                }
            }
            assertThat(wrong).isEmpty();
        }
    }

    /** A request goes from a replica that hangs to the other one; then that one hangs, while the first is well again. */
    @Test
    void aReplicaThatWasSlowIsAskedAgainWhenItIsWell() throws Exception {
        try (PacedReplica first = new PacedReplica();
                PacedReplica second = new PacedReplica();
                RouterServer router = RouterServer.start(
                        List.of(first.uri(), second.uri()), HttpSettings.local(0), Optional.empty())) {
            await("both are well", () -> router.wellReplicas() == 2);
            first.hangs = true;
            second.millis = 30_000;
            AtomicInteger status = new AtomicInteger();
            Thread client = new Thread(() -> status.set(
                    new HttpTester(router.uri()).post("/models/m/predict", ROW).status()));
            client.start();
            await("it is sent elsewhere", () -> first.asked.get() + second.asked.get() == 2);
            first.hangs = false;
            await("the first is well again", () -> router.wellReplicas() == 2);
            second.hangs = true;
            await("it is answered", () -> status.get() != 0);
            assertThat(status.get()).isEqualTo(200);
            client.join();
        }
    }

    /** The other half: where there is no other replica to take its requests, a slow one keeps them, and clients wait. */
    @Test
    void theOnlyReplicaIsKeptHoweverSlowItIs() throws Exception {
        try (PacedReplica only = new PacedReplica();
                RouterServer router =
                        RouterServer.start(List.of(only.uri()), HttpSettings.local(0), Optional.empty())) {
            await("it is well", () -> router.wellReplicas() == 1);
            only.millis = 100;
            HttpTester http = new HttpTester(router.uri());
            for (int i = 0; i < 15; i++) {
                long began = System.nanoTime();
                assertThat(http.post("/models/m/predict", ROW).status()).isEqualTo(200);
                assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(90));
            }
            assertThat(router.wellReplicas()).isEqualTo(1);
        }
    }
}
