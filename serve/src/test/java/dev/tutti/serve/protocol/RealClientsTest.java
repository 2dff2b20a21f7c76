package dev.tutti.serve.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.serve.SmallModels;
import dev.tutti.serve.http.HttpSettings;
import dev.tutti.serve.http.InferenceServer;
import dev.tutti.serve.model.ServingSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Asks by clients that others wrote. It takes minutes to install them, so it runs with {@code TUTTI_REAL_CLIENTS=1} only;
 * {@code TUTTI_REAL_CLIENTS=/path/to/python} uses a Python that has tritonclient and tensorflow-serving-api.
 */
@Timeout(1_200)
class RealClientsTest {
    @TempDir
    Path folder;

    @Test
    void tritonclientIsAnswered() throws Exception {
        assertAnswers("real_clients.py", List.of("tritonclient[all]==2.73.0"));
    }

    /** The package asks for all of TensorFlow; the one for processors alone is smaller and serves as well. */
    @Test
    void tensorflowServingApiIsAnswered() throws Exception {
        assertAnswers("tensorflow_client.py", List.of("tensorflow-cpu", "grpcio", "tensorflow-serving-api==2.21.0"));
    }

    private void assertAnswers(String client, List<String> packages) throws Exception {
        String wanted = System.getenv("TUTTI_REAL_CLIENTS");
        if (wanted == null) {
            System.err.println("SKIPPED: clients that others wrote are asked with TUTTI_REAL_CLIENTS=1 only.");
            Assumptions.abort("TUTTI_REAL_CLIENTS is not set");
        }
        String python = wanted.contains("/") ? wanted : install(client.replace(".py", ""), packages);
        SmallModels.write(folder.resolve("models/m/1"), 1);
        SmallModels.write(folder.resolve("models/m/2"), 2);
        Path script = folder.resolve(client);
        try (var in = RealClientsTest.class.getResourceAsStream(client)) {
            Files.copy(in, script);
        }
        try (InferenceServer server = InferenceServer.start(
                folder.resolve("models"), ServingSettings.standard().replicas(1), HttpSettings.local(0))) {
            String said = run(List.of(python, script.toString(), "127.0.0.1:" + server.port()));
            assertThat(said).contains("all is well");
        }
    }

    private String install(String name, List<String> packages) throws IOException, InterruptedException {
        Path venv = Path.of("target/clients", name).toAbsolutePath();
        Path python = venv.resolve("bin/python");
        try {
            if (!Files.exists(venv.resolve("installed"))) {
                run(List.of("python3", "-m", "venv", venv.toString()));
                for (String each : packages) {
                    // What it asks for beyond those named before it is not needed to ask a server.
                    List<String> command =
                            new ArrayList<>(List.of(python.toString(), "-m", "pip", "install", "-q", each));
                    if (each.startsWith("tensorflow-serving-api")) {
                        command.add("--no-deps");
                    }
                    run(command);
                }
                Files.createFile(venv.resolve("installed"));
            }
        } catch (AssertionError | IOException e) {
            System.err.println("SKIPPED: " + packages + " cannot be installed here: " + e.getMessage());
            Assumptions.abort("no " + name);
        }
        return python.toString();
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor(900, TimeUnit.SECONDS)).as("in time").isTrue();
        assertThat(process.exitValue()).as(said).isZero();
        return said;
    }
}
