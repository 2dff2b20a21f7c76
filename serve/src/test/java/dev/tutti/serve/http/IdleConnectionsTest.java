package dev.tutti.serve.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.serve.HttpTester;
import dev.tutti.serve.SmallModels;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Connections that say nothing, half a line, or nothing more after a request: the service goes on, they take little, and they are closed when their time is over.
 *
 * <p>Some hundreds by default; {@code -Dtutti.idleConnections=10000} is the full size, which needs 10,000 descriptors on either side.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class IdleConnectionsTest {
    private static final int IDLE_SECONDS = 4;
    private static final long BYTES_OF_ONE = 40_000;
    private static final long SPARE_BYTES = 8 << 20;

    @TempDir
    Path folder;

    private Process process;
    private BufferedReader said;

    @Test
    void manyIdleConnectionsTakeLittleAndAreClosedWhenTheirTimeIsOver() throws Exception {
        int many = Integer.getInteger("tutti.idleConnections", 400);
        SmallModels.write(folder.resolve("m"), 2);
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        IdleServerMain.class.getName(),
                        folder.resolve("m").toString(),
                        Integer.toString(IDLE_SECONDS))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        said = process.inputReader(StandardCharsets.UTF_8);
        try {
            int port = (int) number("port ");
            HttpTester http = new HttpTester(URI.create("http://127.0.0.1:" + port));
            assertAnswers(http);
            long before = used();
            long filesBefore = files();
            List<SocketChannel> idle = new ArrayList<>();
            try {
                for (int i = 0; i < many; i++) {
                    SocketChannel channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port));
                    switch (i % 3) {
                        case 0 -> ask(channel);
                        case 1 -> channel.write(ByteBuffer.wrap("GET /v2/hea".getBytes(StandardCharsets.US_ASCII)));
                        default -> {} // says nothing at all
                    }
                    idle.add(channel);
                }
                assertAnswers(http);
                long held = used() - before;
                assertThat(held).as("bytes of %s connections", many).isLessThan(many * BYTES_OF_ONE + SPARE_BYTES);
                long began = System.nanoTime();
                for (SocketChannel channel : idle) {
                    assertThat(read(channel)).as("end of a connection").isNegative();
                }
                double seconds = (System.nanoTime() - began) / 1e9;
                assertAnswers(http);
                System.out.printf(
                        "%,d idle connections took %,d bytes each and were closed within %.1f s of the last one's start%n",
                        many, held / many, seconds);
            } finally {
                for (SocketChannel channel : idle) {
                    channel.close();
                }
            }
            assertThat(used() - before).as("bytes kept afterwards").isLessThan(SPARE_BYTES);
            assertThat(files()).as("open files afterwards").isLessThan(filesBefore + 20);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private static void assertAnswers(HttpTester http) {
        HttpTester.Reply reply = http.post("/models/m/predict", "{\"rows\": [[1, 2, 3, 4]]}");
        assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    }

    /** One request whose answer is read whole; the connection stays open. */
    private static void ask(SocketChannel channel) throws IOException {
        channel.write(ByteBuffer.wrap(
                "GET /v2/health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
        assertThat(read(channel)).isPositive();
    }

    private static int read(SocketChannel channel) {
        try {
            ByteBuffer bytes = ByteBuffer.allocate(4_096);
            int count = channel.read(bytes);
            if (count > 0
                    && !new String(bytes.array(), 0, count, StandardCharsets.US_ASCII).startsWith("HTTP/1.1 200")) {
                return read(channel); // the rest of an answer
            }
            return count;
        } catch (IOException e) {
            return -1; // it was reset
        }
    }

    private long used() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        return number("used ");
    }

    private long number(String word) throws IOException {
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            if (line.startsWith(word)) {
                return Long.parseLong(line.substring(word.length()));
            }
        }
        throw new AssertionError("the service ended without '" + word + "'");
    }

    private long files() throws IOException {
        if (!Files.isDirectory(Path.of("/proc/self/fd"))) {
            return 0;
        }
        try (Stream<Path> open = Files.list(Path.of("/proc", Long.toString(process.pid()), "fd"))) {
            return open.count();
        }
    }
}
