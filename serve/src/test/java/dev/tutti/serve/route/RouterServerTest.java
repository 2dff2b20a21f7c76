package dev.tutti.serve.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.RequestHeaders;
import dev.tutti.TuttiException;
import dev.tutti.serve.HttpTester;
import dev.tutti.serve.SmallModels;
import dev.tutti.serve.http.HttpSettings;
import dev.tutti.serve.http.InferenceServer;
import dev.tutti.serve.model.ServingSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RouterServerTest {
    private static final String ROW = "{\"rows\": [[1, 2, 3, 4]]}";

    @TempDir
    Path folder;

    /** A serving process of the test: a model, and a file to write its address into. */
    public static final class ReplicaMain {
        private ReplicaMain() {}

        public static void main(String[] args) throws Exception {
            InferenceServer server = InferenceServer.start(
                    Path.of(args[0]), ServingSettings.standard().replicas(1), HttpSettings.local(0));
            Path file = Path.of(args[1]);
            Files.writeString(
                    file.resolveSibling("new-" + file.getFileName()),
                    server.uri().toString());
            Files.move(file.resolveSibling("new-" + file.getFileName()), file);
            Thread.sleep(600_000);
        }
    }

    private Process replica(String name) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ReplicaMain.class.getName(),
                        folder.resolve("models").toString(),
                        folder.resolve(name).toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(name + ".log").toFile())
                .start();
    }

    private static void signal(String name, Process process) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + Duration.ofSeconds(80).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
            Thread.sleep(20);
        }
    }

    @Test
    void aReplicaThatIsKilledLosesNoPrediction() throws Exception {
        SmallModels.write(folder.resolve("models/m/1"), 1);
        Process first = replica("first");
        Process second = replica("second");
        try {
            await(() -> Files.exists(folder.resolve("first")) && Files.exists(folder.resolve("second")));
            List<URI> uris = List.of(
                    URI.create(Files.readString(folder.resolve("first"))),
                    URI.create(Files.readString(folder.resolve("second"))));
            try (RouterServer router = RouterServer.start(uris, HttpSettings.local(0), Optional.empty())) {
                await(() -> router.wellReplicas() == 2);
                AtomicBoolean stop = new AtomicBoolean();
                AtomicInteger answers = new AtomicInteger();
                Set<String> wrong = new ConcurrentSkipListSet<>();
                List<Thread> clients = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    Thread client = new Thread(() -> {
                        HttpTester http = new HttpTester(router.uri());
                        while (!stop.get()) {
                            HttpTester.Reply reply = http.post("/models/m/predict", ROW);
                            if (reply.status() != 200) {
                                wrong.add(reply.status() + " " + reply.body());
                            }
                            answers.incrementAndGet();
                        }
                    });
                    clients.add(client);
                    client.start();
                }
                await(() -> answers.get() > 100);
                HttpTester admin = new HttpTester(router.uri());
                signal("STOP", first); // it hangs: its requests are answered by the other one
                await(() -> admin.get("/replicas").body().contains("slow"));
                int hanging = answers.get();
                await(() -> answers.get() > hanging + 50);
                signal("CONT", first);
                await(() -> router.wellReplicas() == 2);
                assertThat(admin.post("/replicas/1/drain", "").body()).contains("draining");
                assertThat(router.wellReplicas()).isEqualTo(1);
                admin.post("/replicas/1/restore", "");
                await(() -> router.wellReplicas() == 2);
                first.destroyForcibly().waitFor();
                int before = answers.get();
                await(() -> answers.get() > before + 200 && router.wellReplicas() == 1);
                stop.set(true);
                for (Thread client : clients) {
                    client.join();
                }
                assertThat(wrong).isEmpty();
                HttpTester http = new HttpTester(router.uri());
                assertThat(http.get("/replicas").body()).contains("ejected").contains("well");
                assertThat(http.post("/models/n/predict", ROW).status()).isEqualTo(404);
                second.destroyForcibly().waitFor();
                await(() -> router.wellReplicas() == 0);
                assertThat(http.post("/models/m/predict", ROW).error()).contains("none of the 2 replicas is well");
            }
        } finally {
            first.destroyForcibly();
            second.destroyForcibly();
        }
    }

    @Test
    void predictionsMayBeSentTwiceChangesMayNot() {
        assertThat(RequestRouter.isSafe(RequestHeaders.of(HttpMethod.POST, "/v2/models/m/infer")))
                .isTrue();
        assertThat(RequestRouter.isSafe(RequestHeaders.of(HttpMethod.POST, "/v1/models/m:predict")))
                .isTrue();
        assertThat(RequestRouter.isSafe(RequestHeaders.of(HttpMethod.POST, "/models/m/predict?label=a")))
                .isTrue();
        assertThat(RequestRouter.isSafe(RequestHeaders.of(HttpMethod.POST, "/models/m/rollback")))
                .isFalse();
        assertThat(RequestRouter.isSafe(RequestHeaders.of(HttpMethod.PUT, "/models/m/labels/predict")))
                .isFalse();
    }

    @Test
    void addressesAreChecked() {
        assertThatThrownBy(() -> RouterServer.start(List.of(), HttpSettings.local(0), Optional.empty()))
                .isInstanceOf(TuttiException.class);
        assertThatThrownBy(() -> RouterServer.start(
                        List.of(URI.create("file:///etc/passwd")), HttpSettings.local(0), Optional.empty()))
                .hasMessageContaining("expected an address");
    }
}
