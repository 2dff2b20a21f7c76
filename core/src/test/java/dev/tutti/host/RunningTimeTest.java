package dev.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process that is really stopped. */
@Timeout(60)
class RunningTimeTest {
    /** Says how long it has run by both clocks, whenever it is asked. */
    static final class Stopped {
        public static void main(String[] arguments) throws Exception {
            long real = System.nanoTime();
            long running = RunningTime.nanos();
            BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            System.out.println("ready");
            while (input.readLine() != null) {
                System.out.println((System.nanoTime() - real) / 1_000_000 + " " + RunningTime.millisSince(running));
            }
        }
    }

    @Test
    void timeInWhichAProcessIsStoppedDoesNotCount() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Stopped.class.getName())
                .start();
        try (BufferedReader output = process.inputReader()) {
            assertThat(output.readLine()).isEqualTo("ready");
            TimeUnit.MILLISECONDS.sleep(500);
            signal("STOP", process);
            TimeUnit.MILLISECONDS.sleep(3000);
            signal("CONT", process);
            process.outputWriter().append('\n').flush();
            String[] times = output.readLine().split(" ");
            assertThat(Long.parseLong(times[0])).as("the machine's clock").isGreaterThan(3400);
            assertThat(Long.parseLong(times[1])).as("time it ran").isBetween(200L, 2000L);
        } finally {
            process.destroyForcibly();
        }
    }

    private static void signal(String name, Process process) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }
}
