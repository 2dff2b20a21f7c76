package dev.tutti.serve.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.serve.HttpTester;
import dev.tutti.serve.SmallModels;
import dev.tutti.serve.model.ServingSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * New versions take over under load: no request fails, every answer is computed by the version it names, and a client that was answered
 * by a version never hears from an older one again.
 *
 * <p>A short load by default; {@code -Dtutti.swapRequests=100000} is the full one.
 */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
class HotSwapTest {
    private static final int CLIENTS = 4;
    private static final int LEAST_VERSIONS = 6;
    private static final String ROW = "{\"rows\": [[1, 2, 3, 4]]}";

    @TempDir
    Path folder;

    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicLong answers = new AtomicLong();
    private final AtomicLong newest = new AtomicLong();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

    @Test
    void newVersionsTakeOverUnderLoadWithoutALostOrWrongAnswer() throws Exception {
        long wanted = Long.getLong("tutti.swapRequests", 1_500);
        Path repository = folder.resolve("models");
        SmallModels.write(repository.resolve("m/1"), 1);
        ServingSettings settings =
                ServingSettings.standard().poll(Duration.ofMillis(50)).replicas(2);
        try (InferenceServer server = InferenceServer.start(repository, settings, HttpSettings.local(0))) {
            long began = System.nanoTime();
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Thread client = new Thread(() -> ask(new HttpTester(server.uri())), "client " + i);
                clients.add(client);
                client.start();
            }
            long version = 1;
            while (answers.get() < wanted || version < LEAST_VERSIONS) {
                long next = ++version;
                SmallModels.write(repository.resolve("m/" + next), next);
                await(() -> newest.get() >= next || !wrong.isEmpty());
                if (!wrong.isEmpty()) {
                    break;
                }
            }
            stop.set(true);
            for (Thread client : clients) {
                client.join();
            }
            System.out.printf(
                    "%,d answers under %d swaps in %.1f s, %d of them wrong%n",
                    answers.get(), version - 1, (System.nanoTime() - began) / 1e9, wrong.size());
            assertThat(wrong).isEmpty();
            assertThat(answers.get()).isGreaterThanOrEqualTo(wanted);
            await(() -> server.registry().model("m").versions().size() == 2);
        }
    }

    private void ask(HttpTester http) {
        long seen = 0;
        while (!stop.get() && wrong.isEmpty()) {
            try {
                HttpTester.Reply reply = http.post("/models/m/predict", ROW);
                JsonNode json = reply.json();
                long version = json.path("version").asLong();
                double mark = json.at("/predictions/0/output/2").asDouble();
                if (reply.status() != 200 || mark != version || version < seen) {
                    wrong.add(reply.status() + " after version " + seen + ": " + reply.body());
                }
                seen = version;
                newest.accumulateAndGet(version, Math::max);
                answers.incrementAndGet();
            } catch (RuntimeException | Error e) {
                wrong.add(e.toString());
            }
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
            Thread.sleep(10);
        }
    }
}
