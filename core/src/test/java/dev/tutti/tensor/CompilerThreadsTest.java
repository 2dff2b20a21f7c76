package dev.tutti.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompilerThreadsTest {
    @Test
    @EnabledOnOs(OS.LINUX)
    void standBackBehindAllOthers() throws IOException {
        List<Integer> first = nice("C1 CompilerThre");
        CompilerThreads.giveWay();
        assertThat(nice("C2 CompilerThre"))
                .isNotEmpty()
                .containsOnly(CompilerThreads.nice(System.getenv(CompilerThreads.NICE_VARIABLE)));
        assertThat(nice("C1 CompilerThre")).as("those that compile first").containsAll(first);
    }

    private static List<Integer> nice(String name) throws IOException {
        List<Integer> found = new ArrayList<>();
        try (var threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path thread : threads) {
                String stat = Files.readString(thread.resolve("stat"));
                if (stat.contains("(" + name + ")")) {
                    String[] behindTheName =
                            stat.substring(stat.lastIndexOf(')') + 2).split(" ");
                    found.add(Integer.parseInt(behindTheName[16]));
                }
            }
        }
        return found;
    }

    @ParameterizedTest
    @CsvSource({",19", "'',19", "0,0", "' 7 ',7", "19,19", "20,19", "-3,19", "low,19"})
    void standBackAsFarAsTheVariableSays(String said, int nice) {
        assertThat(CompilerThreads.nice(said)).isEqualTo(nice);
    }
}
