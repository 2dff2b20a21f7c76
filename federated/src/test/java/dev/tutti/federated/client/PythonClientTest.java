package dev.tutti.federated.client;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.sgd;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.Selection;
import dev.tutti.federated.server.FederatedServer;
import dev.tutti.federated.server.ListenSettings;
import dev.tutti.federated.server.RoundResult;
import dev.tutti.federated.wire.UpdateEncoding;
import dev.tutti.nn.Input;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The client in clients/python, as processes of Python; TUTTI_PYTHON names an interpreter that has NumPy. */
@Timeout(120)
class PythonClientTest {
    private static final String PYTHON =
            System.getenv("TUTTI_PYTHON") == null ? "python3" : System.getenv("TUTTI_PYTHON");

    @TempDir
    private Path folder;

    private static boolean hasNumpy() {
        try {
            return new ProcessBuilder(PYTHON, "-c", "import numpy")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @ParameterizedTest
    @EnumSource(UpdateEncoding.class)
    void trainsInNumpy(UpdateEncoding encoding) throws Exception {
        Assumptions.assumeTrue(
                hasNumpy(),
                "SKIPPED: the Python client was not tested, because " + PYTHON
                        + " has no NumPy; set TUTTI_PYTHON to an interpreter that does");
        FederatedJob job = FederatedJob.of("python", dense(4), List.of(Input.of(8)), sgd(0.5), softmaxCrossEntropy())
                .rounds(3)
                .epochs(5)
                .encoding(encoding)
                .selection(new Selection().minimum(2))
                .output(folder.resolve("server"));
        List<Process> clients = new ArrayList<>();
        try (FederatedServer server = FederatedServer.start(job, ListenSettings.local(0))) {
            for (int i = 0; i < 2; i++) {
                clients.add(new ProcessBuilder(
                                PYTHON, "numpy_softmax.py", server.uri().toString(), Integer.toString(i))
                        .directory(Path.of("..", "clients", "python").toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("python" + i + ".log").toFile())
                        .start());
            }
            List<RoundResult> rounds = server.await(Duration.ofSeconds(60));
            assertThat(rounds).hasSize(3).allMatch(round -> round.answers() == 2 && round.samples() == 160);
            assertThat(rounds.get(2).loss()).isLessThan(rounds.get(0).loss());
            for (int i = 0; i < 2; i++) {
                assertThat(clients.get(i).waitFor(30, TimeUnit.SECONDS)).isTrue();
                assertThat(Files.readString(folder.resolve("python" + i + ".log")))
                        .contains("3 updates were accepted");
            }
        } finally {
            clients.forEach(Process::destroyForcibly);
        }
    }
}
