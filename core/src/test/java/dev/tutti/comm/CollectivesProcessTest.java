package dev.tutti.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tutti.comm.message.TestingCertificates;
import dev.tutti.tensor.Engine;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Collectives between real JVMs, one of which is killed; and what is left behind. */
@Timeout(100)
class CollectivesProcessTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"SHARED_MEMORY", "GLOO", "TLS", "CHOSEN"})
    void killedMemberIsNamedLongBeforeTheDeadline(Kind kind) throws Exception {
        Engine.load();
        List<Process> children = new ArrayList<>();
        for (int rank = 1; rank < 3; rank++) {
            children.add(child(kind, rank));
        }
        try (Collectives collectives = TestingMember.open(kind, folder, 0, 3)) {
            assertThat(TestingMember.sum(collectives)).isEqualTo(6.0 * 100_001);
            assertThat(namesIn(Path.of("/dev/shm")))
                    .noneMatch(name ->
                            name.startsWith("tutti-" + ProcessHandle.current().pid()));
            for (int i = 0; i < 20; i++) {
                collectives.barrier("on and on");
            }
            children.get(1).destroyForcibly();
            long begin = System.nanoTime();
            Throwable failure = catchThrowable(() -> {
                while (true) {
                    collectives.barrier("on and on");
                }
            });
            assertThat(failure).isInstanceOf(MemberLostException.class).hasMessageContaining("worker-2");
            assertThat(((MemberLostException) failure).members()).containsExactly("worker-2");
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(TestingMember.TIMEOUT.dividedBy(3));
            assertThat(children.get(0).waitFor(40, TimeUnit.SECONDS)).isTrue();
            assertThat(Files.readString(folder.resolve("end-1"))).startsWith("[worker-2]");
            assertThat(folder.resolve("output-1"))
                    .as("standard output is the program's own")
                    .content()
                    .doesNotContain("[Gloo]");
        } finally {
            children.forEach(Process::destroyForcibly);
        }
    }

    private Process child(Kind kind, int rank) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        TestingCertificates.option(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        TestingMember.class.getName(),
                        kind.name(),
                        folder.toString(),
                        String.valueOf(rank),
                        "3")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output-" + rank).toFile())
                .start();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void nothingIsLeftBehind(Kind kind) {
        openAndClose(kind); // what is loaded and made once
        int files = openFiles();
        int threads = Thread.activeCount();
        int natives = nativeThreads();
        for (int i = 0; i < 5; i++) {
            openAndClose(kind);
        }
        // Others in this JVM may open a file meanwhile; a leak would be at least one for each time.
        assertThat(openFiles()).isLessThan(files + 5);
        assertThat(Thread.activeCount()).isLessThan(threads + 5);
        assertThat(nativeThreads()).isLessThan(natives + 5);
        assertThat(namesIn(Path.of("/dev/shm")))
                .noneMatch(name ->
                        name.startsWith("tutti-" + ProcessHandle.current().pid()));
    }

    private static void openAndClose(Kind kind) {
        try (TestingMembers members = new TestingMembers(kind, 3, TestingMember.TIMEOUT)) {
            members.all(TestingMember::sum);
        }
    }

    private static int openFiles() {
        return namesIn(Path.of("/proc/self/fd")).size();
    }

    /** Threads of the engine and of its connections; the JVM's own compilers and collectors come and go. */
    private static int nativeThreads() {
        int count = 0;
        for (String id : namesIn(Path.of("/proc/self/task"))) {
            try {
                String name = Files.readString(Path.of("/proc/self/task", id, "comm"));
                count += name.startsWith("C1") || name.startsWith("C2") || name.startsWith("G") ? 0 : 1;
            } catch (IOException e) {
                // it has just ended
            }
        }
        return count;
    }

    private static List<String> namesIn(Path path) {
        String[] names = new File(path.toString()).list();
        return names == null ? List.of() : List.of(names);
    }
}
