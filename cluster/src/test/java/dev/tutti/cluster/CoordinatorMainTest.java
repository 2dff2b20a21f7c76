package dev.tutti.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.Newcomer;
import dev.tutti.comm.Connections;
import dev.tutti.comm.Meeting;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A coordinator in a process of its own, really killed. */
@Timeout(100)
class CoordinatorMainTest {
    @TempDir
    Path folder;

    @Test
    void aCoordinatorThatWasKilledGoesOnWhereItWas() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        Process process = start();
        try {
            CoordinatorAddress address = await();
            try (ClusterTeam first = ClusterTeam.join(address, Newcomer.worker("worker-0"), 1, Connections::open);
                    ClusterTeam second = ClusterTeam.join(address, Newcomer.worker("worker-1"), 1, Connections::open)) {
                Future<Meeting> waiting = threads.submit(() -> first.meet(0));
                second.meet(0);
                assertThat(waiting.get(30, TimeUnit.SECONDS).group().generation())
                        .isEqualTo(1);
                first.leases().begin(0, 2, List.of());
                assertThat(first.leases().lease(0)).hasValue(0);

                process.destroyForcibly().waitFor();
                first.check();
                process = start();
                assertThat(second.leases().lease(0)).hasValue(1);
                first.leases().used(0, List.of(0));
                assertThat(first.leases().used(0)).containsExactly(0);
                Future<Meeting> again = threads.submit(() -> first.meet(1));
                assertThat(second.meet(1).group().generation()).isEqualTo(2);
                assertThat(again.get(30, TimeUnit.SECONDS).group().members())
                        .extracting("id")
                        .containsExactly("worker-0", "worker-1");
            }
            process.getOutputStream().close();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
            threads.shutdownNow();
        }
    }

    @Test
    void mistakesAreSaidInOneSentence() {
        assertThat(run("--folder", folder.toString())).isEqualTo("2 a coordinator needs --folder and --expected");
        assertThat(run("--foldr", "x")).startsWith("2 unknown option '--foldr'").contains("--folder");
        assertThat(run("--folder", folder.toString(), "--expected", "two"))
                .isEqualTo("2 --expected: expected a number, received 'two'");
        assertThat(run("--folder", folder.toString(), "--expected", "2", "--min", "3"))
                .startsWith("2 expected 1 <= min <= expected <= max");
        assertThat(run("--folder", folder.toString(), "--expected", "2", "--host", "0.0.0.0"))
                .contains("without TLS");
        assertThatThrownBy(() -> CoordinatorMain.addressIn(folder.resolve("nothing")))
                .hasMessageContaining("there is no such file");
    }

    @Test
    void theTokenIsForItsOwnerAlone() throws IOException {
        assertThat(run("--folder", folder.toString(), "--expected", "1", "--until-stdin-closes"))
                .isEqualTo("0 ");
        assertThat(Files.getPosixFilePermissions(folder.resolve("token"))).hasSize(2);
        assertThat(CoordinatorMain.addressIn(folder).token()).hasSize(48);
    }

    private static String run(String... arguments) {
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        int code = CoordinatorMain.run(
                List.of(arguments),
                new ByteArrayInputStream(new byte[0]),
                new PrintStream(errors, true, StandardCharsets.UTF_8));
        return code + " " + errors.toString(StandardCharsets.UTF_8).strip();
    }

    private Process start() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        CoordinatorMain.class.getName(),
                        "--folder",
                        folder.toString(),
                        "--expected",
                        "2",
                        "--until-stdin-closes")
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start();
    }

    private CoordinatorAddress await() {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!Files.exists(folder.resolve("address.json"))) {
            assertThat(System.nanoTime()).as("it does not start").isLessThan(until);
            LockSupport.parkNanos(5_000_000);
        }
        return CoordinatorMain.addressIn(folder);
    }
}
