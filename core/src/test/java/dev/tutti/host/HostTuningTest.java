package dev.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.sun.jna.Memory;
import dev.tutti.tensor.Engine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.slf4j.LoggerFactory;

/** What a process is like before, with and after tuning; in a JVM of its own, whose environment says nothing of the allocator. */
@EnabledOnOs(OS.LINUX)
class HostTuningTest {
    private static final int BLOCK = 48 << 20;
    private static final Map<String, Long> found = new HashMap<>();
    private static String log;

    @BeforeAll
    static void probe() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Probe.class.getName())
                .redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("MALLOC_") || name.startsWith("GLIBC_"));
        builder.environment().put("MALLOC_ARENA_MAX", "1"); // blocks of all threads lie in one place
        builder.environment().remove("TUTTI_COMPILER");
        Process process = builder.start();
        log = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(log).isZero();
        log.lines().filter(line -> line.startsWith("@")).forEach(line -> {
            String[] words = line.substring(1).split(" ");
            found.put(words[0], Long.parseLong(words[1]));
        });
    }

    @Test
    void theEngineAloneLeavesTheAllocatorAsItIs() {
        assertThat(found.get("keptBefore")).as(log).isLessThan(BLOCK / 2);
    }

    @Test
    void freedMemoryIsKeptOnceTuningIsApplied() {
        assertThat(found.get("keptWith")).as(log).isGreaterThan(BLOCK / 2);
    }

    @Test
    void undoingGivesMemoryBackAndLetsTheAllocatorGiveBackFreedMemoryAgain() {
        assertThat(found.get("givenBack")).as(log).isGreaterThan(BLOCK / 2);
        assertThat(found.get("keptAfter")).as(log).isLessThan(BLOCK / 2);
    }

    @Test
    void theCompilersThreadsAreDemotedOnlyWhileTuningIsApplied() {
        assertThat(found.get("idleBefore")).as(log).isZero();
        assertThat(found.get("idleWith")).as(log).isPositive();
        if (found.get("mayRaise") == 1) { // the kernel lets only privileged processes raise a thread again
            assertThat(found.get("idleAfter")).as(log).isZero();
        }
    }

    @Test
    void theLogSaysWhatCouldBeFasterWithoutIt() {
        assertThat(log.lines().filter(line -> line.contains("HostTuning.apply() changes that")))
                .as(log)
                .anyMatch(line -> line.contains("gives the memory of large tensors back"))
                .anyMatch(line -> line.contains("the JVM's compiler takes its time from workers"));
    }

    @Test
    void theChangesCanBeAppliedAgain() {
        assertThat(found.get("idleAgain")).as(log).isPositive();
    }

    /** Writes what it finds, one number to a line. */
    static final class Probe {
        private static final int IDLE = 5;

        private Probe() {}

        public static void main(String[] arguments) throws IOException {
            ((Logger) LoggerFactory.getLogger(HostTuning.class)).setLevel(Level.DEBUG);
            Engine.load();
            CompilerThreads.giveWay();
            say("idleBefore", idleThreads());
            say("keptBefore", keptOfABlock());
            HostTuning.apply();
            CompilerThreads.giveWay();
            say("idleWith", idleThreads());
            say("keptWith", keptOfABlock());
            long before = resident();
            HostTuning.undo();
            say("givenBack", before - resident());
            say("mayRaise", isPrivileged() ? 1 : 0);
            say("idleAfter", idleThreads());
            say("keptAfter", keptOfABlock());
            HostTuning.apply();
            CompilerThreads.giveWay();
            say("idleAgain", idleThreads());
        }

        private static void say(String name, long value) {
            System.out.println("\n@" + name + " " + value);
        }

        /** How much larger the process is after a large block was taken, written to and freed. */
        private static long keptOfABlock() throws IOException {
            long before = resident();
            Memory block = new Memory(BLOCK);
            block.setMemory(0, BLOCK, (byte) 1);
            block.close();
            return resident() - before;
        }

        private static long resident() throws IOException {
            String[] pages = Files.readString(Path.of("/proc/self/statm")).split(" ");
            return Long.parseLong(pages[1]) * 4096;
        }

        private static boolean isPrivileged() throws IOException {
            String status = Files.readString(Path.of("/proc/self/status"));
            String effective = status.replaceAll("(?s).*CapEff:\\s*([0-9a-f]+).*", "$1");
            int sysNice = 23;
            return (Long.parseUnsignedLong(effective, 16) >> sysNice & 1) == 1;
        }

        private static long idleThreads() throws IOException {
            long idle = 0;
            try (var threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
                for (Path thread : threads) {
                    String stat = Files.readString(thread.resolve("stat"));
                    String[] behindTheName =
                            stat.substring(stat.lastIndexOf(')') + 2).split(" ");
                    idle += Integer.parseInt(behindTheName[38]) == IDLE ? 1 : 0;
                }
            }
            return idle;
        }
    }
}
