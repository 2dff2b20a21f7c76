package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.loss.Losses;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layers;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizers;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.checkpoint.SavedModel;
import java.io.BufferedReader;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** SIGTERM to a serving process: the request under way is answered, then it ends with exit code 0. */
@Timeout(120)
class ServeStopTest {
    private static final String BODY = "{\"rows\": [[1, 2, 3, 4]]}";

    @TempDir
    private Path folder;

    private Process server;

    @AfterEach
    void end() throws Exception {
        if (server != null) {
            server.destroyForcibly().waitFor();
        }
    }

    @Test
    void aRequestUnderWayIsAnsweredBeforeTheProcessEnds() throws Exception {
        try (Model model = Model.of(Sequential.of(Layers.dense(2)), Input.of(4))) {
            SavedModel.write(
                    folder.resolve("m"),
                    model,
                    new SavedModel.Features(List.of(), List.of()),
                    null,
                    SavedModel.Made.now(
                            "test",
                            1,
                            new TrainingConfig(Optimizers.sgd(0.1), Losses.softmaxCrossEntropy(), List.of(), 0, 1)));
        }
        server = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "serve",
                        folder.resolve("m").toString(),
                        "--port",
                        "0")
                .redirectErrorStream(true)
                .start();
        BufferedReader output = server.inputReader();
        Matcher address =
                Pattern.compile("Serving at http://127.0.0.1:([0-9]+)").matcher("");
        StringBuilder said = new StringBuilder();
        for (String line = output.readLine(); line != null && !address.find(); line = output.readLine()) {
            said.append(line).append('\n');
            address.reset(said);
        }
        address.reset(said);
        assertThat(address.find()).as(said.toString()).isTrue();
        int port = Integer.parseInt(address.group(1));
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.setSoTimeout(30_000);
            byte[] request = ("POST /models/m/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                            + "Content-Length: " + BODY.length() + "\r\n\r\n" + BODY)
                    .getBytes(StandardCharsets.US_ASCII);
            socket.getOutputStream().write(request, 0, request.length - 1); // all but the last byte
            socket.getOutputStream().flush();
            try (Socket other = new Socket("127.0.0.1", port)) { // answered: so the server has read what came before
                other.setSoTimeout(30_000);
                other.getOutputStream().write(request);
                assertThat(head(other)).contains(" 200 ");
            }
            server.destroy();
            socket.getOutputStream().write(request, request.length - 1, 1);
            assertThat(head(socket)).contains(" 200 ");
        }
        assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(server.exitValue()).as(said.toString()).isZero();
    }

    private static String head(Socket socket) throws Exception {
        StringBuilder text = new StringBuilder();
        InputStream in = socket.getInputStream();
        for (int each = in.read(); each >= 0 && text.indexOf("\r\n\r\n") < 0; each = in.read()) {
            text.append((char) each);
        }
        return text.toString();
    }
}
