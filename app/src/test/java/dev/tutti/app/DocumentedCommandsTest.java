package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine.ParameterException;

/** Every command that a document shows is understood, and the cheap ones work as printed. */
class DocumentedCommandsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Set<String> OF_THE_SCRIPT = Set.of("test", "install", "format", "clean");

    /** The built-in job on so few rows that it takes a second. */
    private static final String FEW_ROWS = "{source: {type: mnist, part: test}, stages: [{type: take, count: 64}]}";

    @TempDir
    private Path folder;

    static Stream<DocumentedCommand> commands() throws IOException {
        return DocumentedCommand.all(ROOT).stream();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void isUnderstood(DocumentedCommand command) throws IOException {
        assertThat(command.arguments()).isNotEmpty();
        String name = command.arguments().get(0);
        if (OF_THE_SCRIPT.contains(name)) {
            assertThat(Files.readString(ROOT.resolve("tutti"))).containsPattern("(?m)^    " + name + "\\) ");
        } else if (name.equals("COMMAND")) {
            assertThat(command.arguments()).containsExactly("COMMAND", "--help");
        } else if (command.arguments().size() > 1 || command.block()) { // a bare name in a sentence is no command line
            assertThatCode(() -> parse(command.arguments())).doesNotThrowAnyException();
        }
    }

    @Test
    void anUnknownFlagIsFound() {
        List<DocumentedCommand> commands = DocumentedCommand.of(
                "a document", List.of("```", "./tutti train mnist --epoch 3 > out   # a slip", "```"));
        assertThat(commands)
                .singleElement()
                .satisfies(
                        command -> assertThat(command.arguments()).containsExactly("train", "mnist", "--epoch", "3"));
        assertThatThrownBy(() -> parse(commands.get(0).arguments()))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining("--epoch");
    }

    private static void parse(List<String> arguments) {
        PrintStream silent = new PrintStream(OutputStream.nullOutputStream());
        Main.commandLine(new Console(new ByteArrayInputStream(new byte[0]), silent, silent, false, false, false))
                .parseArgs(
                        arguments.stream().map(DocumentedCommandsTest::filledIn).toArray(String[]::new));
    }

    /** Letters that stand for a number or for settings. */
    private static String filledIn(String word) {
        return switch (word) {
            case "N", "M", "P" -> "1";
            case "NAME=MILLIS" -> "collective=120000";
            case "KEY=VALUE...", "KEY=VALUE" -> "learningRate=0.1";
            default -> word;
        };
    }

    /**
     * Types the lines of the blocks of docs/commands.md into a shell, one after the other, in a folder like a clean clone. Training
     * of the built-in job itself, which takes a minute, and what needs a job under way are done elsewhere; jobs of a few rows take
     * their place.
     */
    @Test
    @Timeout(600)
    void theCheapOnesWorkAsPrinted() throws Exception {
        prepareClone();
        type("./tutti train mnist --epochs 1");
        int typed = 0;
        for (DocumentedCommand command : DocumentedCommand.all(ROOT)) {
            boolean cheap = command.line()
                    .matches(
                            ".*(--print-job|plan mnist|evaluate runs|predict runs|summary runs|export runs|quantize runs|train digits.yaml .*[^&]$|parity .* --steps ).*");
            if (!command.block() || !cheap || !command.where().equals("docs/commands.md")) {
                continue;
            }
            type(command.line());
            typed++;
            if (command.line().contains("--print-job")) {
                useFewRows(folder.resolve("digits.yaml"));
            }
        }
        assertThat(typed).isGreaterThanOrEqualTo(11);
        assertThat(folder.resolve("digits.pt")).isNotEmptyFile();
        assertThat(folder.resolve("digits.safetensors")).isNotEmptyFile();
    }

    /** Those of docs/data.md, with a table that has a label named as there. The database and the photos are those of other tests. */
    @Test
    @Timeout(300)
    void thoseOfTablesWorkAsPrinted() throws Exception {
        prepareClone();
        Files.writeString(folder.resolve("people.csv"), people(200, 1));
        Files.writeString(folder.resolve("test.csv"), people(40, 2));
        Files.writeString(folder.resolve("new-rows.csv"), people(10, 3).replaceAll("(?m),[^,\n]*$", ""));
        Files.createDirectories(folder.resolve("new"));
        Files.writeString(folder.resolve("new").resolve("rows.csv"), people(60, 4));
        int typed = 0;
        for (DocumentedCommand command : DocumentedCommand.all(ROOT)) {
            boolean ofTables = command.where().equals("docs/data.md")
                    && !command.line().contains("photos")
                    && !command.line().contains("postgresql:");
            if (command.block() && ofTables) {
                type(command.line());
                typed++;
            }
        }
        assertThat(typed).isGreaterThanOrEqualTo(6);
        assertThat(folder.resolve("runs").resolve("people-2").resolve("model")).isDirectory();
    }

    private static String people(int rows, long seed) {
        Random random = new Random(seed);
        StringBuilder table = new StringBuilder("age,hours,job,income\n");
        for (int i = 0; i < rows; i++) {
            int age = 20 + random.nextInt(50);
            int hours = 10 + random.nextInt(40);
            String job = random.nextBoolean() ? "cook" : "smith";
            table.append(age + "," + hours + "," + job + "," + (hours > 30 ? "high" : "low") + "\n");
        }
        return table.toString();
    }

    /**
     * The same with the commands that train the built-in job, on few rows, in all documents. It takes minutes: {@code ./tutti test -pl
     * app -am -Dtest=DocumentedCommandsTest -Dtutti.documents=all}.
     */
    @Test
    @Timeout(1200)
    @EnabledIfSystemProperty(named = "tutti.documents", matches = "all", disabledReason = "takes minutes")
    void thoseThatTrainWorkAsPrinted() throws Exception {
        prepareClone();
        List<String> typed = new ArrayList<>();
        for (DocumentedCommand command : DocumentedCommand.all(ROOT)) {
            boolean trains = command.line()
                            .matches("\\./tutti (train|parity|plan|simulate) mnist\\b.*|\\./tutti federate simulate .*")
                    && !command.line().matches(".*(--print-job|--on |& *$).*");
            if (command.block() && trains && !typed.contains(command.line())) {
                type(command.line());
                typed.add(command.line());
            }
        }
        assertThat(typed).hasSizeGreaterThanOrEqualTo(12);
    }

    private void prepareClone() throws IOException {
        Path script = folder.resolve("tutti");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Files.writeString(
                script,
                "#!/usr/bin/env bash\ncase \"$*\" in *--print-job*) ;; 'train mnist'* | 'parity mnist'*) set -- \"$@\" --set 'data={train: "
                        + FEW_ROWS + ", validation: " + FEW_ROWS + "}' ;; esac\nexec '" + java
                        + "' -Xmx1g -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dtutti.datasets='"
                        + ROOT.resolve("datasets")
                        + "' -cp '"
                        + System.getProperty("java.class.path") + "' dev.tutti.app.Main \"$@\"\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        Path samples = Path.of("datasets", "mnist", "samples");
        Files.createDirectories(folder.resolve(samples));
        try (Stream<Path> images = Files.list(ROOT.resolve(samples))) {
            for (Path image : images.toList()) {
                Files.copy(image, folder.resolve(samples).resolve(image.getFileName()));
            }
        }
    }

    private static void useFewRows(Path job) throws IOException {
        String yaml = Files.readString(job);
        String few =
                yaml.replaceFirst("(?m)^data: .*$", "data: {train: " + FEW_ROWS + ", validation: " + FEW_ROWS + "}");
        assertThat(few).isNotEqualTo(yaml);
        Files.writeString(job, few.replaceFirst("(?m)^epochs: .*$", "epochs: 1"));
    }

    private void type(String line) throws IOException, InterruptedException {
        Path log = folder.resolve("typed.log");
        Process shell = new ProcessBuilder("bash", "-c", line)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(shell.waitFor(120, TimeUnit.SECONDS)).as("%s ends", line).isTrue();
            assertThat(shell.exitValue())
                    .as("%s: %s", line, Files.readString(log))
                    .isZero();
        } finally {
            shell.descendants().forEach(ProcessHandle::destroyForcibly);
            shell.destroyForcibly();
        }
    }
}
