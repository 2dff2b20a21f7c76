package dev.tutti.app.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.TuttiException;
import dev.tutti.app.Terminal;
import dev.tutti.cluster.CoordinatorFolder;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.cluster.rpc.JoinRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./tutti coordinator}: what it refuses, and that it runs until it is ended. */
@Timeout(60)
class CoordinatorCommandTest {
    @TempDir
    private Path folder;

    private final Terminal terminal = new Terminal();

    @Test
    void mistakesAreSaidInOneSentence() throws IOException {
        assertThat(run("--expected", "two")).isEqualTo(2);
        assertThat(terminal.err()).contains("--expected").contains("two");
        assertThat(run("--expected", "2", "--min", "3")).isEqualTo(2);
        assertThat(terminal.err()).contains("expected 1 <= min <= expected <= max");
        assertThat(run("--expected", "2", "--host", "0.0.0.0")).isEqualTo(2);
        assertThat(terminal.err()).contains("without TLS");
        assertThat(run("--expected", "2", "--certificate", "nowhere.pem", "--key", "nowhere.pem"))
                .isEqualTo(6);
        assertThat(terminal.err()).contains("nowhere.pem");
        assertThat(run("--expected", "2", "--key", "some.pem")).isEqualTo(2);
        assertThat(terminal.err()).contains("a certificate and its key go together");
        assertThat(run("--expected", "2", "--patience", "colective=1")).isEqualTo(2);
        assertThat(terminal.err()).contains("unknown time 'colective': did you mean 'collective'?");
        assertThat(run("--expected", "2", "--patience", "collective=0")).isEqualTo(2);
        assertThat(terminal.err()).contains("collective: expected at least 1 ms, received 0");
        assertThat(run("--expected", "2", "--patience", "collective=long")).isEqualTo(2);
        assertThat(terminal.err()).contains("--patience").contains("long");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(run("--expected", "2", "--port", String.valueOf(taken.getLocalPort())))
                    .isEqualTo(2);
            assertThat(terminal.err()).contains("Choose another port");
        }
    }

    private Thread start(FutureTask<Integer> code) {
        Thread thread = new Thread(code, "coordinator");
        thread.setDaemon(true);
        thread.start();
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!Files.exists(folder.resolve("address.json")) || thread.getState() != Thread.State.WAITING) {
            assertThat(System.nanoTime()).as("it does not start").isLessThan(until);
            LockSupport.parkNanos(5_000_000);
        }
        return thread;
    }

    /** It does not stay as a process that holds its port and answers nobody. */
    @Test
    void aJournalThatBreaksEndsItWithACode() throws Exception {
        FutureTask<Integer> code = new FutureTask<>(() -> run("--expected", "1"));
        start(code);
        Path journal = folder.resolve("coordinator.log");
        Files.move(journal, folder.resolve("moved away"));
        Files.createDirectories(journal.resolve("in its place"));
        String large = "x".repeat(20_000);
        try (CoordinatorClient client =
                new CoordinatorClient(new CoordinatorFolder(folder).address(null)).patience(1000)) {
            for (int i = 0; i < 200 && !code.isDone(); i++) { // until it is long enough to be summed up
                client.configure("setting", i + large);
            }
        } catch (TuttiException e) {
            assertThat(e).as("what a caller hears").hasMessageMatching("(?s).*(coordinator|journal).*");
        }
        assertThat(code.get(30, TimeUnit.SECONDS)).isEqualTo(6);
        assertThat(terminal.err()).contains(journal + ": cannot be replaced by its summary");
        Files.delete(journal.resolve("in its place"));
        Files.delete(journal);
        Files.writeString(journal, "not a line of a journal\nnor another\n");
        Files.setPosixFilePermissions(journal, PosixFilePermissions.fromString("rw-------"));
        assertThat(run("--expected", "1"))
                .as("and it does not start with a damaged one")
                .isEqualTo(6);
        assertThat(terminal.err()).contains("does not fit its checksum").contains("Move it away to begin anew");
    }

    @Test
    void runsUntilItIsEnded() throws Exception {
        FutureTask<Integer> code = new FutureTask<>(
                () -> run("--expected", "1", "--patience", "collective=90000", "--patience", "start=7000"));
        Thread thread = start(code);
        try (CoordinatorClient client = new CoordinatorClient(new CoordinatorFolder(folder).address(null))) {
            assertThat(client.join(JoinRequest.worker(null)).patience())
                    .as("what members are told")
                    .isEqualTo(
                            Timeouts.DEFAULT.with(Map.of("collective", 90_000L, "meeting", 90_000L, "start", 7_000L)));
        }
        thread.interrupt();
        assertThat(code.get(30, TimeUnit.SECONDS)).isZero();
        assertThat(terminal.out()).contains("listens on 127.0.0.1:");
    }

    private int run(String... options) {
        List<String> all = new ArrayList<>(List.of("coordinator", "--folder", folder.toString()));
        all.addAll(List.of(options));
        return terminal.run(all.toArray(String[]::new));
    }
}
