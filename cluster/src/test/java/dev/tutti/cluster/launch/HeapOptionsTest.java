package dev.tutti.cluster.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.cluster.Cluster;
import dev.tutti.train.TrainingException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class HeapOptionsTest {
    private static final OptionalLong MACHINE = OptionalLong.of(32L << 30);

    @Test
    void jvmsShareAQuarterAndHaveAGigabyteAtLeast() {
        assertThat(HeapOptions.of(List.of(), 1, null, MACHINE)).containsExactly("-Xmx8192m", "-XX:MaxNewSize=256m");
        assertThat(HeapOptions.of(List.of(), 4, null, MACHINE)).containsExactly("-Xmx2048m", "-XX:MaxNewSize=256m");
        assertThat(HeapOptions.of(List.of(), 100, null, MACHINE)).contains("-Xmx1024m");
        assertThat(HeapOptions.of(List.of("-XX:+UseParallelGC"), 4, null, OptionalLong.empty()))
                .containsExactly("-XX:MaxNewSize=256m");
    }

    @Test
    void whatWasAskedForCounts() {
        assertThat(HeapOptions.of(List.of("-Xmx4g"), 4, null, MACHINE)).isEmpty();
        assertThat(HeapOptions.of(List.of("-XX:MaxRAMPercentage=50"), 4, null, MACHINE))
                .isEmpty();
        assertThat(HeapOptions.of(List.of("-Xmx4g"), 4, "2g", MACHINE)).containsExactly("-Xmx2g");
        assertThat(HeapOptions.of(List.of("-Xmn1g"), 4, null, MACHINE)).containsExactly("-Xmx2048m");
        assertThatThrownBy(() -> Cluster.processes(2).heap("much"))
                .isInstanceOf(TrainingException.class)
                .hasMessage("heap: expected megabytes or gigabytes, such as 800m or 2g, received much");
    }

    /** Prints how large the heap of its JVM may become. */
    static final class Heap {
        private Heap() {}

        public static void main(String[] arguments) {
            System.err.println(Runtime.getRuntime().maxMemory() >> 20);
        }
    }

    @Test
    @Timeout(30)
    void aJvmThatIsStartedHasIt() throws IOException {
        Process process = ChildJvm.of(Heap.class.getName(), "worker-1", List.of())
                .heap(4, "300m")
                .start();
        assertThat(Double.parseDouble(
                        new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8).strip()))
                .isBetween(200.0, 301.0);
    }
}
