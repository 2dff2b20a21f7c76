package dev.tutti.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.cluster.rpc.CoordinatorLostException;
import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.comm.Leases;
import dev.tutti.comm.Meeting;
import dev.tutti.comm.connection.Connections;
import dev.tutti.io.FileException;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
class CoordinatorFolderTest {
    @TempDir
    Path folder;

    @Test
    void aCoordinatorThatWasKilledGoesOnWhereItWas() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        Process process = start();
        try {
            CoordinatorAddress address = await();
            try (ClusterTeam first = ClusterTeam.join(address, JoinRequest.worker("worker-0"), 1, Connections::open);
                    ClusterTeam second =
                            ClusterTeam.join(address, JoinRequest.worker("worker-1"), 1, Connections::open)) {
                Future<Meeting> waiting = threads.submit(() -> first.meet(0));
                second.meet(0);
                assertThat(waiting.get(30, TimeUnit.SECONDS).group().generation())
                        .isEqualTo(1);
                first.leases(Leases.TRAINING).begin(0, 2, List.of());
                assertThat(first.leases(Leases.TRAINING).lease(0)).hasValue(0);

                process.destroyForcibly().waitFor();
                first.check();
                process = start();
                assertThat(second.leases(Leases.TRAINING).lease(0)).hasValue(1);
                first.leases(Leases.TRAINING).used(0, List.of(0));
                assertThat(first.leases(Leases.TRAINING).used(0)).containsExactly(0);
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
    void theTokenIsForItsOwnerAlone() throws IOException {
        CoordinatorFolder home = new CoordinatorFolder(folder);
        home.start(ServerSettings.of(MembershipRules.of(1))).close();
        assertThat(Files.getPosixFilePermissions(folder.resolve("token"))).hasSize(2);
        assertThat(home.address(null).token()).hasSize(48);
    }

    @Test
    void theJournalIsForItsOwnerAlone() throws IOException {
        Files.createFile(folder.resolve("coordinator.log"));
        Files.setPosixFilePermissions(folder.resolve("coordinator.log"), PosixFilePermissions.fromString("rw-r--r--"));
        new CoordinatorFolder(folder)
                .start(ServerSettings.of(MembershipRules.of(1)))
                .close();
        for (String name : List.of("coordinator.log", "coordinator.lock")) {
            assertThat(Files.getPosixFilePermissions(folder.resolve(name)))
                    .as(name)
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        }
    }

    @Test
    void aTokenThatOthersMayHavePlantedIsRefused() throws IOException {
        CoordinatorFolder home = new CoordinatorFolder(folder);
        Path token = folder.resolve("token");
        Files.writeString(token, "known to somebody else");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(() -> home.start(ServerSettings.of(MembershipRules.of(1))))
                .isInstanceOf(FileException.class)
                .hasMessageContaining("has the mode rw-r-----")
                .hasMessageContaining("expected a file of this user with mode 600");
        Files.delete(token);
        Files.createSymbolicLink(token, folder.resolve("elsewhere"));
        Files.writeString(folder.resolve("elsewhere"), "known to somebody else");
        assertThatThrownBy(() -> home.start(ServerSettings.of(MembershipRules.of(1))))
                .hasMessageContaining("is not a plain file");
        Files.delete(token);
        Files.writeString(token, "known to somebody else");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        try {
            Files.setAttribute(token, "unix:uid", 65_534);
        } catch (IOException e) {
            return; // only root can give files away
        }
        assertThatThrownBy(() -> home.start(ServerSettings.of(MembershipRules.of(1))))
                .hasMessageContaining("belongs to nobody");
    }

    /** A limit on the size of files does to the process what a full disk does, and can be lifted. */
    @Test
    void aFullDiskMakesItRefuseUntilThereIsRoomAgain() throws Exception {
        Process process = start();
        try (CoordinatorClient client = new CoordinatorClient(await())) {
            client.configure("rate", "1").values();
            long size = Files.size(folder.resolve("coordinator.log"));
            limitFiles(process, String.valueOf(size + 10));
            client.patience(2_000);
            assertThatThrownBy(() -> client.configure("rate", "2")).isInstanceOf(CoordinatorLostException.class);
            assertThatThrownBy(client::overview).isInstanceOf(CoordinatorLostException.class);
            assertThat(process.isAlive()).isTrue();
            limitFiles(process, "unlimited");
            client.patience(10_000);
            assertThat(client.configure("other", "3").values()).containsEntry("other", "3");
            process.destroyForcibly().waitFor();
            process = start();
            assertThat(client.configuration().values())
                    .containsEntry("rate", "2")
                    .containsEntry("other", "3");
        } finally {
            process.destroyForcibly();
        }
    }

    private static void limitFiles(Process process, String bytes) throws Exception {
        Process prlimit =
                new ProcessBuilder("prlimit", "--pid", String.valueOf(process.pid()), "--fsize=" + bytes + ":").start();
        assertThat(prlimit.waitFor()).isZero();
    }

    @Test
    void whereThereIsNoneIsNamed() {
        CoordinatorFolder nothing = new CoordinatorFolder(folder.resolve("nothing"));
        assertThatThrownBy(() -> nothing.address(null)).hasMessageContaining("there is no such file");
    }

    @Test
    void whoOnlyLooksLeavesNothingBehind() throws IOException {
        CoordinatorFolder home = new CoordinatorFolder(folder);
        home.start(ServerSettings.of(MembershipRules.of(1))).close();
        Files.delete(folder.resolve("token")); // as one that ends at this moment does
        assertThatThrownBy(() -> home.address(null)).hasMessageContaining("there is no token");
        assertThat(folder.resolve("token")).doesNotExist();
    }

    /** A process that is nothing but a coordinator, until its standard input ends. */
    static final class Elsewhere {
        public static void main(String[] arguments) throws IOException {
            CoordinatorFolder home = new CoordinatorFolder(Path.of(arguments[0]));
            try (CoordinatorServer server = home.start(ServerSettings.of(MembershipRules.of(2)))) {
                System.in.transferTo(OutputStream.nullOutputStream());
            }
        }
    }

    private Process start() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Elsewhere.class.getName(),
                        folder.toString())
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
        return new CoordinatorFolder(folder).address(null);
    }
}
