package dev.tutti.serve.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.serve.SmallModels;
import dev.tutti.serve.http.HttpSettings;
import dev.tutti.serve.http.InferenceServer;
import dev.tutti.serve.model.ServingSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Asks by clients that others wrote: tritonclient, tensorflow-serving-api and curl. The Python ones are installed once, half a minute,
 * into {@code ~/.cache/tutti}; where that fails they are skipped, which is said. {@code TUTTI_REAL_CLIENTS=/path/to/python} uses a Python
 * that has them.
 */
@Timeout(400)
class RealClientsTest {
    private static final long INSTALL_SECONDS = 180;
    private static final long ASK_SECONDS = 120;

    /** Installed last: tensorflow-protobuf has older messages of the same names. */
    private static final String SERVING_API = "tensorflow-serving-api==2.21.0";

    @TempDir
    static Path folder;

    private static InferenceServer server;

    @BeforeAll
    static void serve() {
        SmallModels.write(folder.resolve("models/m/1"), 1);
        SmallModels.write(folder.resolve("models/m/2"), 2);
        server = InferenceServer.start(
                folder.resolve("models"), ServingSettings.standard().replicas(1), HttpSettings.local(0));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void tritonclientIsAnsweredOverHttpAndGrpc() throws Exception {
        assertAnswers("triton_client.py");
    }

    @Test
    void tensorflowServingApiIsAnswered() throws Exception {
        assertAnswers("tensorflow_client.py");
    }

    @Test
    void curlIsAnswered() throws Exception {
        String curl = "curl";
        try {
            run(List.of(curl, "--version"), ASK_SECONDS);
        } catch (IOException e) {
            System.err.println("SKIPPED: there is no curl here.");
            Assumptions.abort("no curl");
        }
        String rows = "[[1, 2, 3, 4], [0.5, 0, 0, 0]]";
        String json = "Content-Type: application/json";
        assertThat(run(
                                List.of(
                                        curl,
                                        "-sS",
                                        "-H",
                                        json,
                                        "-d",
                                        "{\"instances\": " + rows + "}",
                                        url("/v1/models/m:predict")),
                                ASK_SECONDS)
                        .replaceAll("\\s", ""))
                .contains("\"predictions\":[[10.0,20.0,2.0],[0.5,1.0,2.0]]");
        assertThat(run(
                                List.of(
                                        curl,
                                        "-sS",
                                        "-H",
                                        json,
                                        "-d",
                                        "{\"inputs\": [{\"name\": \"input\", \"shape\": [2, 4], \"datatype\": \"FP32\", \"data\": "
                                                + rows + "}]}",
                                        url("/v2/models/m/infer")),
                                ASK_SECONDS)
                        .replaceAll("\\s", ""))
                .contains("\"data\":[10.0,20.0,2.0,0.5,1.0,2.0]");
        assertThat(run(
                        List.of(curl, "-sS", "-H", "Content-Type: text/csv", "-d", "1,2,3,4", url("/models/m/predict")),
                        ASK_SECONDS))
                .contains("\"high\"");
        assertThat(run(List.of(curl, "-sS", url("/metrics")), ASK_SECONDS)).contains("tutti_requests_total");
    }

    private static String url(String path) {
        return server.uri() + path;
    }

    private static void assertAnswers(String client) throws Exception {
        String python = python();
        Path script = copy(client);
        assertThat(run(List.of(python, script.toString(), "127.0.0.1:" + server.port()), ASK_SECONDS))
                .contains("all is well");
    }

    private static Path copy(String resource) throws IOException {
        Path file = folder.resolve(resource);
        if (!Files.exists(file)) {
            try (var in = RealClientsTest.class.getResourceAsStream(resource)) {
                Files.copy(in, file);
            }
        }
        return file;
    }

    /** A Python that has the clients, installed on first use. */
    private static String python() throws Exception {
        String given = System.getenv("TUTTI_REAL_CLIENTS");
        if (given != null && given.contains("/")) {
            return given;
        }
        Path list = copy("clients.txt");
        String mark = Integer.toHexString((Files.readString(list) + SERVING_API).hashCode());
        Path venv = Path.of(System.getProperty("user.home"), ".cache", "tutti", "clients-" + mark);
        Path python = venv.resolve("bin/python");
        Path done = venv.resolve("installed");
        if (!Files.exists(done)) {
            try {
                run(List.of("python3", "-m", "venv", "--clear", venv.toString()), INSTALL_SECONDS);
                install(python, "-r", list.toString());
                install(python, SERVING_API);
                Files.createFile(done);
            } catch (AssertionError | IOException e) {
                System.err.println(
                        "SKIPPED: tritonclient and tensorflow-serving-api are not asked, as they cannot be installed here"
                                + " (python3 -m venv and pip): " + e.getMessage());
                Assumptions.abort("no Python clients");
            }
        }
        return python.toString();
    }

    /** Without what a package asks for: all of TensorFlow, for one. */
    private static void install(Path python, String... what) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(python.toString(), "-m", "pip", "install", "-q", "--no-deps"));
        command.addAll(List.of("--no-compile", "--only-binary", ":all:", "--timeout", "20", "--retries", "1"));
        command.addAll(List.of(what));
        run(command, INSTALL_SECONDS);
    }

    private static String run(List<String> command, long seconds) throws IOException, InterruptedException {
        Path said = Files.createTempFile(folder, "said", ".txt");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        String words = Files.readString(said, StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(words).isZero();
        return words;
    }
}
