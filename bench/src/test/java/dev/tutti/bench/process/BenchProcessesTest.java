package dev.tutti.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.bench.harness.Cores;
import dev.tutti.bench.harness.Scripts;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchProcessesTest {
    private static final ProcessCommand SLEEPING_GRANDCHILD = Scripts.sh("sleep 1000 & echo $!; wait");

    @TempDir
    Path folder;

    @Test
    void closingEndsChildrenAndWhatTheyStarted() throws Exception {
        ProcessHandle grandchild;
        try (BenchProcesses children = new BenchProcesses(folder)) {
            BenchProcess child = children.start("sleeper", SLEEPING_GRANDCHILD, Cores.ALL);
            String line = child.nextLine(Deadline.in(Duration.ofSeconds(30))).orElseThrow();
            grandchild = ProcessHandle.of(Long.parseLong(line)).orElseThrow();
            assertThat(grandchild.isAlive()).isTrue();
        }
        grandchild.onExit().get(30, TimeUnit.SECONDS);
    }

    @Test
    void nothingIsStartedAfterTheEnd() {
        BenchProcesses children = new BenchProcesses(folder);
        children.close();
        assertThatThrownBy(() -> children.start("late", SLEEPING_GRANDCHILD, Cores.ALL))
                .isInstanceOf(ContenderException.class)
                .hasMessageContaining("late was not started");
    }

    @Test
    void settingsOfOursAreHiddenFromPeers() {
        Map<String, String> environment =
                new HashMap<>(Map.of("MALLOC_ARENA_MAX", "1", "GOMP_SPINCOUNT", "2000", "HOME", "/home/user"));
        BenchProcesses.hideOurSettings(environment);
        assertThat(environment).containsOnlyKeys("HOME");
    }

    @Test
    void aHarnessThatIsInterruptedTakesItsChildrenWithIt() throws Exception {
        ProcessCommand harness = ProcessCommand.java(Sleeping.class, folder.toString());
        Process process = new ProcessBuilder(harness.words())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (var output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            ProcessHandle grandchild =
                    ProcessHandle.of(Long.parseLong(output.readLine())).orElseThrow();
            assertThat(grandchild.isAlive()).isTrue();
            process.destroy();
            grandchild.onExit().get(30, TimeUnit.SECONDS);
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
    }

    /** A harness that waits for a contender which never ends. */
    static final class Sleeping {
        public static void main(String[] arguments) {
            try (BenchProcesses children = new BenchProcesses(Path.of(arguments[0]))) {
                BenchProcess child = children.start("sleeper", SLEEPING_GRANDCHILD, Cores.ALL);
                child.lines(Deadline.in(Duration.ofMinutes(5)), System.out::println);
            }
        }
    }
}
