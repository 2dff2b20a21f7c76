package dev.tutti.serve.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.serve.SmallModels;
import dev.tutti.serve.http.HttpSettings;
import dev.tutti.serve.http.InferenceServer;
import dev.tutti.serve.model.ServingSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Asks by clients that others wrote. It takes a minute to install them, so it runs with {@code TUTTI_REAL_CLIENTS=1} only;
 * {@code TUTTI_REAL_CLIENTS=/path/to/python} uses a Python that has tritonclient.
 */
@Timeout(600)
class RealClientsTest {
    @TempDir
    Path folder;

    @Test
    void tritonclientIsAnswered() throws Exception {
        String wanted = System.getenv("TUTTI_REAL_CLIENTS");
        if (wanted == null) {
            System.err.println("SKIPPED: clients that others wrote are asked with TUTTI_REAL_CLIENTS=1 only.");
            Assumptions.abort("TUTTI_REAL_CLIENTS is not set");
        }
        String python = wanted.contains("/") ? wanted : install();
        SmallModels.write(folder.resolve("models/m/1"), 1);
        SmallModels.write(folder.resolve("models/m/2"), 2);
        Path script = folder.resolve("real_clients.py");
        try (var in = RealClientsTest.class.getResourceAsStream("real_clients.py")) {
            Files.copy(in, script);
        }
        try (InferenceServer server = InferenceServer.start(
                folder.resolve("models"), ServingSettings.standard().replicas(1), HttpSettings.local(0))) {
            String said = run(List.of(python, script.toString(), "127.0.0.1:" + server.port()));
            assertThat(said).contains("all is well");
        }
    }

    private String install() throws IOException, InterruptedException {
        Path venv = Path.of("target/clients").toAbsolutePath();
        Path python = venv.resolve("bin/python");
        try {
            if (!Files.exists(venv.resolve("installed"))) {
                run(List.of("python3", "-m", "venv", venv.toString()));
                run(List.of(python.toString(), "-m", "pip", "install", "-q", "tritonclient[all]==2.73.0"));
                Files.createFile(venv.resolve("installed"));
            }
        } catch (AssertionError | IOException e) {
            System.err.println("SKIPPED: tritonclient cannot be installed here: " + e.getMessage());
            Assumptions.abort("no tritonclient");
        }
        return python.toString();
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).as("in time").isTrue();
        assertThat(process.exitValue()).as(said).isZero();
        return said;
    }
}
