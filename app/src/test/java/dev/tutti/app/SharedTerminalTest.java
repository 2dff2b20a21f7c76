package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a person sees on a terminal. */
class SharedTerminalTest {
    private static final String ERASE = "\r\033[K";

    @Test
    void anOpenLineIsErasedBeforeAnotherStreamWrites() {
        ByteArrayOutputStream screen = new ByteArrayOutputStream();
        SharedTerminal terminal = new SharedTerminal();
        PrintStream bar = new PrintStream(terminal.stream(screen), true, StandardCharsets.UTF_8);
        PrintStream log = new PrintStream(terminal.stream(screen), true, StandardCharsets.UTF_8);
        bar.println("hello");
        log.println("first");
        bar.print("50%");
        bar.flush();
        log.println("second");
        log.println("third");
        bar.print("60%");
        bar.flush();
        assertThat(screen.toString(StandardCharsets.UTF_8))
                .isEqualTo(String.join(
                        System.lineSeparator(), "hello", "first", "50%" + ERASE + "second", "third", "60%"));
    }

    @Test
    @Timeout(60)
    void linesOfTheLogAndOfOtherJvmsStandAlone(@TempDir Path folder) throws Exception {
        Path job = Files.writeString(
                folder.resolve("a job.yaml"),
                SmallJob.yaml(folder.resolve("my run")).replace("count: 512", "count: 8192"));
        String command = String.join(
                " ",
                NextCommand.quoted(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString()),
                "-cp",
                NextCommand.quoted(System.getProperty("java.class.path")),
                Main.class.getName(),
                "train",
                NextCommand.quoted(job.toString()),
                "--processes 2");
        String screen = onTerminal(command);
        List<String> lines = Arrays.asList(screen.split("\r?\n"));
        assertThat(screen).contains("1 epoch" + "\r\n").contains("evaluate '" + folder.resolve("my run") + "'");
        assertThat(lines).anyMatch(line -> line.contains("[worker-1] "));
        for (String line : lines) {
            String seen = line.substring(line.lastIndexOf(ERASE) < 0 ? 0 : line.lastIndexOf(ERASE) + ERASE.length());
            if (line.contains(" INFO ") || line.contains(" WARN ")) {
                assertThat(seen).as(line).matches("(\\[worker-1\\] )?\\d\\d:\\d\\d:\\d\\d (INFO|WARN) .*");
            }
        }
    }

    /** What a command writes to a terminal of its own. */
    private static String onTerminal(String command) throws IOException, InterruptedException {
        Process script;
        try {
            script = new ProcessBuilder("script", "-qec", command, "/dev/null")
                    .redirectErrorStream(true)
                    .redirectInput(Path.of("/dev/null").toFile())
                    .start();
        } catch (IOException e) {
            Assumptions.abort("needs script(1)");
            return "";
        }
        String screen = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(script.waitFor()).as(screen).isZero();
        return screen;
    }
}
