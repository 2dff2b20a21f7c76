package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Links with delays where the kernel has none. */
@Timeout(60)
class EmulatedSwitchTest {
    @BeforeAll
    static void needsNamespaces() {
        Optional<String> missing = NetworkHosts.unavailable();
        missing.ifPresent(why -> System.err.println("SKIPPED: emulated links are not tested: " + why));
        Assumptions.assumeTrue(missing.isEmpty(), missing.orElse(""));
    }

    @Test
    void framesArriveAfterTheDelayOfTheirLinksAndNotAtAllWhereItIsCut() throws Exception {
        try (NetworkHosts hosts = NetworkHosts.emulated(2)) {
            assertThat(isRefused(hosts)).as("the other host answers").isTrue();
            hosts.shape(0, LinkShape.megabits(100).delay(300));
            hosts.shape(1, LinkShape.megabits(100).delay(300));
            long began = System.nanoTime();
            assertThat(isRefused(hosts)).isTrue();
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began))
                    .as("there and back")
                    .isGreaterThanOrEqualTo(600);
            hosts.cut(1, 0);
            assertThat(isRefused(hosts)).as("no answer comes back").isFalse();
        }
    }

    /** Whether a connection to a port on which no process listens is refused, which takes one way there and back. */
    private static boolean isRefused(NetworkHosts hosts) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(hosts.within(0, "a"));
        words.addAll(List.of("timeout", "2", "bash", "-c", "exec 3<>/dev/tcp/" + hosts.address(1) + "/9; exit 7"));
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return said.contains("refused");
    }
}
