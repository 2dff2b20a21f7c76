package dev.tutti.train.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RunLockTest {
    @TempDir
    Path folder;

    /** Another process that is a member of a run in a folder until its input ends. */
    static final class MemberMain {
        private MemberMain() {}

        public static void main(String[] arguments) throws IOException {
            try (RunLock lock = RunLock.take(Path.of(arguments[0]), true)) {
                System.out.println("first " + lock.isFirst());
                System.in.read();
            }
        }
    }

    private Process member() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        MemberMain.class.getName(),
                        folder.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** A member that comes later, or again, finds the files of its own run, not those of an earlier one. */
    @Test
    void theFirstMemberOfARunIsTheFirst() throws Exception {
        Process other = member();
        try {
            assertThat(other.inputReader(StandardCharsets.UTF_8).readLine()).isEqualTo("first true");
            try (RunLock lock = RunLock.take(folder, true)) {
                assertThat(lock.isFirst()).isFalse();
            }
        } finally {
            other.destroyForcibly();
            other.onExit().join();
        }
        try (RunLock lock = RunLock.take(folder, true)) {
            assertThat(lock.isFirst()).isTrue();
        }
    }
}
