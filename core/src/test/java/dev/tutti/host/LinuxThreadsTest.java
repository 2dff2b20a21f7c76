package dev.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@EnabledOnOs(OS.LINUX)
class LinuxThreadsTest {
    private static final int OTHER = 0;
    private static final int BATCH = 3;
    private static final int IDLE = 5;

    @AfterEach
    void undo() {
        HostTuning.undo();
    }

    @Test
    void whoWorksAheadWaitsForItsTurnAndNobodyElseDoes() throws Exception {
        CompletableFuture<Integer> policy = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            BackgroundThread.enter();
            policy.complete(policy(Path.of("/proc/thread-self")));
        });
        thread.start();
        assertThat(policy.get()).isEqualTo(BATCH);
        assertThat(policy(Path.of("/proc/thread-self"))).isEqualTo(OTHER);
    }

    @Test
    void theOptimizingCompilerMakesRoomForAllOthers() throws IOException {
        HostTuning.apply();
        CompilerThreads.giveWay();
        boolean gives = CompilerThreads.givesWay(System.getenv(CompilerThreads.VARIABLE));
        assertThat(policies("C2 CompilerThre")).isNotEmpty().containsOnly(gives ? IDLE : OTHER);
        assertThat(policies("C1 CompilerThre"))
                .as("the one that compiles first")
                .isNotEmpty()
                .containsOnly(OTHER);
    }

    @ParameterizedTest
    @CsvSource({",true", "'',true", "idle,true", "busy,false", "' busy ',false", "quick,true"})
    void theVariableLeavesTheCompilerAsItIs(String said, boolean givesWay) {
        assertThat(CompilerThreads.givesWay(said)).isEqualTo(givesWay);
    }

    private static List<Integer> policies(String name) throws IOException {
        List<Integer> found = new ArrayList<>();
        try (var threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path thread : threads) {
                if (Files.readString(thread.resolve("comm")).strip().equals(name)) {
                    found.add(policy(thread));
                }
            }
        }
        return found;
    }

    private static int policy(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            String[] behindTheName = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return Integer.parseInt(behindTheName[38]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
