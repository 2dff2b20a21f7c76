package dev.tutti.federated.client;

import static dev.tutti.nn.Layers.dense;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.Selection;
import dev.tutti.federated.server.FederatedServer;
import dev.tutti.federated.server.ListenSettings;
import dev.tutti.federated.server.RoundResult;
import dev.tutti.nn.Sequential;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A connection that breaks in the second piece of a model, and again in the second piece of an update: the first pieces stay. */
@Timeout(120)
class BrokenTransfersTest {
    private static final String SECOND = Integer.toString(4 << 20);

    @TempDir
    private Path folder;

    @Test
    void aTransferGoesOnAtThePieceThatBroke() throws Exception {
        FederatedJob job = ClusterRows.job(folder)
                .model(Sequential.of(dense(130_000).relu(), dense(4))) // 6.8 MB
                .selection(new Selection().minimum(1))
                .least(1)
                .batch(0)
                .deadline(Duration.ofSeconds(60))
                .rounds(1);
        try (FederatedServer server = FederatedServer.start(job, ListenSettings.local(0));
                BreakingProxy proxy = new BreakingProxy(server.port())) {
            CompletableFuture<FederatedClient.Summary> client =
                    CompletableFuture.supplyAsync(() -> FederatedClient.to(proxy.uri())
                            .name("far")
                            .data("rows", ClusterRows.of(0))
                            .run());
            List<RoundResult> rounds = server.await(Duration.ofSeconds(90));
            assertThat(rounds)
                    .singleElement()
                    .satisfies(round -> assertThat(round.answers()).isEqualTo(1));
            assertThat(client.get(30, TimeUnit.SECONDS).rounds()).isEqualTo(1);
            assertThat(proxy.downloads).containsExactly("0", SECOND, SECOND);
            assertThat(proxy.uploads).containsExactly("0", SECOND, SECOND);
        }
    }

    /** Hands on bytes in both directions; the first answer and the first request with a second piece are cut. */
    private static final class BreakingProxy implements AutoCloseable {
        private static final Pattern DOWN = Pattern.compile("(?i)range: bytes=(\\d+)-");
        private static final Pattern UP = Pattern.compile("(?i)upload-offset: (\\d+)");
        private static final int CUT = 1000;

        private final List<String> downloads = new CopyOnWriteArrayList<>();
        private final List<String> uploads = new CopyOnWriteArrayList<>();
        private final ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final int server;

        BreakingProxy(int server) throws IOException {
            this.server = server;
            run(() -> {
                while (true) {
                    serve(door.accept());
                }
            });
        }

        URI uri() {
            return URI.create("http://127.0.0.1:" + door.getLocalPort());
        }

        private interface Work {
            void run() throws IOException;
        }

        private static void run(Work work) {
            Thread thread = new Thread(() -> {
                try {
                    work.run();
                } catch (IOException e) {
                    // the connection has ended, as it may
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        private void serve(Socket client) throws IOException {
            Socket behind = new Socket(InetAddress.getLoopbackAddress(), server);
            AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE); // bytes of answers until the connection is cut
            run(() -> {
                try (client;
                        behind) {
                    InputStream in = client.getInputStream();
                    byte[] piece = new byte[1 << 16];
                    for (int read = in.read(piece); read > 0; read = in.read(piece)) {
                        String text = new String(piece, 0, read, StandardCharsets.ISO_8859_1);
                        if (seen(DOWN, text, downloads)) {
                            left.set(CUT);
                        }
                        if (seen(UP, text, uploads)) {
                            return; // the rest of the request never comes
                        }
                        behind.getOutputStream().write(piece, 0, read);
                    }
                }
            });
            run(() -> {
                try (client;
                        behind) {
                    OutputStream out = client.getOutputStream();
                    byte[] piece = new byte[1 << 16];
                    InputStream in = behind.getInputStream();
                    for (int read = in.read(piece); read > 0 && left.get() > 0; read = in.read(piece)) {
                        int most = left.get();
                        int count = Math.min(read, most);
                        out.write(piece, 0, count);
                        left.compareAndSet(most, most == Integer.MAX_VALUE ? most : most - count);
                    }
                }
            });
        }

        /** Notes where a piece begins; true where it is the second one, for the first time. */
        private static boolean seen(Pattern pattern, String text, List<String> begins) {
            Matcher matcher = pattern.matcher(text);
            if (!matcher.find()) {
                return false;
            }
            boolean before = begins.contains(SECOND);
            begins.add(matcher.group(1));
            return !before && matcher.group(1).equals(SECOND);
        }

        @Override
        public void close() throws IOException {
            door.close();
        }
    }
}
