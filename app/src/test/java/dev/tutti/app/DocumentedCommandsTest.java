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

    /** For one command; a simulation of 10,000 members took more than two minutes on a machine with much else to do. */
    private static final int PATIENCE_SECONDS = 240;

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
     * The same with the commands that train the built-in job, on few rows, in all documents. It and those below take minutes: {@code ./tutti test -pl
     * app -am -Dtest=DocumentedCommandsTest -Dtutti.documents=all}; the beginning of a path in place of {@code all}, such as {@code docs/strategies}, types those
     * of some documents.
     */
    @Test
    @Timeout(1200)
    @EnabledIfSystemProperty(named = "tutti.documents", matches = ".+", disabledReason = "takes minutes")
    void thoseThatTrainWorkAsPrinted() throws Exception {
        String documents = System.getProperty("tutti.documents");
        prepareClone();
        List<String> typed = new ArrayList<>();
        for (DocumentedCommand command : DocumentedCommand.all(ROOT)) {
            boolean trains = command.line()
                            .matches("\\./tutti (train|parity|plan|simulate) mnist\\b.*|\\./tutti federate simulate .*")
                    && !command.line().matches(".*(--print-job|--on |& *$).*");
            boolean asked = documents.equals("all") || command.where().startsWith(documents);
            if (command.block() && trains && asked && !typed.contains(command.line())) {
                type(command.line());
                typed.add(command.line());
            }
        }
        assertThat(typed).hasSizeGreaterThanOrEqualTo(documents.equals("all") ? 12 : 1);
    }

    /** A run of four processes that is looked at and changed while it goes on. */
    @Test
    @Timeout(300)
    @EnabledIfSystemProperty(named = "tutti.documents", matches = ".+", disabledReason = "takes minutes")
    void thoseOfARunningJobWorkAsPrinted() throws Exception {
        prepareClone();
        type("./tutti train mnist --print-job > digits.yaml");
        Path job = folder.resolve("digits.yaml");
        useFewRows(job);
        Files.writeString(job, Files.readString(job).replaceFirst("(?m)^epochs: .*$", "epochs: 100000"));
        String train = documented("docs/commands.md", "./tutti train digits.yaml --processes 4 ");
        try (Background running = new Background(train.replaceFirst(" &$", ""))) {
            running.await("./tutti status runs/digits");
            type(documented("docs/commands.md", "./tutti status runs/digits"));
            type(documented("docs/commands.md", "./tutti configure runs/digits learningRate=0"));
            type(documented("docs/commands.md", "./tutti configure runs/digits learningRate="));
            assertThat(running.stop()).as("%s", running).isEqualTo(130);
        }
    }

    /** Services on the ports that the documents name. */
    @Test
    @Timeout(300)
    @EnabledIfSystemProperty(named = "tutti.documents", matches = ".+", disabledReason = "takes minutes")
    void thoseThatServeWorkAsPrinted() throws Exception {
        prepareClone();
        type("./tutti train mnist --epochs 1");
        try (Background service =
                new Background(documented("docs/serving.md", "./tutti serve runs/mnist --port 8080"))) {
            service.await("curl -sf localhost:8080/v2/health/ready");
            String curl = line("docs/serving.md", "curl -H 'Content-Type: image/png'");
            type(curl.replaceFirst("^curl", "curl -sf"));
            type("curl -sf localhost:8080/v1/models/mnist && curl -sf localhost:8080/v2/models/mnist && curl -sf"
                    + " localhost:8080/metrics | grep -q tutti_requests_total");
            assertThat(service.stop()).as("%s", service).isZero();
        }
        String first = "./tutti serve runs/mnist --port 808";
        String route = documented("docs/serving.md", "./tutti route ");
        try (Background one = new Background(first + 1);
                Background two = new Background(first + 2);
                Background router = new Background(route)) {
            one.await("curl -sf localhost:8081/v2/health/ready");
            two.await("curl -sf localhost:8082/v2/health/ready");
            router.await("curl -sf localhost:8080/v2/models/mnist/ready");
            assertThat(router.stop()).as("%s", router).isZero();
        }
        try (Background up = new Background(documented("docs/jobs.md", "./tutti up --port 8090"))) {
            up.await("curl -sf localhost:8090/api/resources");
            type(line("docs/jobs.md", "curl -H 'Content-Type: application/json'")
                    .replaceFirst("^curl", "curl -sf"));
            type(
                    "curl -sf localhost:8090/api/jobs | grep -q '\"mnist\"' && curl -sf localhost:8090/ | grep -q '<title>Tutti'");
            type(
                    "for job in $(curl -s localhost:8090/api/jobs | grep -o"
                            + " '\"id\" *: *\"[^\"]*\"' | cut -d'\"' -f4); do curl -sf -X POST localhost:8090/api/jobs/$job/cancel; done");
            up.await("curl -s localhost:8090/api/jobs | grep -q '\"state\" : \"cancelled\"'"); // else its process would
            // go on
            assertThat(up.stop()).as("%s", up).isZero();
        }
    }

    /** Several tasks, and a search for good settings, by the job files that their documents show. */
    @Test
    @Timeout(900)
    @EnabledIfSystemProperty(named = "tutti.documents", matches = ".+", disabledReason = "takes minutes")
    void thoseOfTasksAndTuningWorkAsPrinted() throws Exception {
        prepareClone();
        String few = "data: {train: " + FEW_ROWS + ", validation: " + FEW_ROWS + "}";
        String tasks = firstYaml("docs/multi-task.md")
                .replace("data: mnist", few)
                .replaceAll("count: \\d+000", "count: 64")
                .replace("part: test}, stages: [", "part: test}, stages: [{type: take, count: 64}, ")
                .replaceFirst("epochs: \\d+", "epochs: 1");
        Files.writeString(folder.resolve("tasks.yaml"), tasks);
        String job = firstYaml("docs/tuning.md").replace("data: mnist", few);
        Files.writeString(folder.resolve("job.yaml"), job);
        int typed = 0;
        for (DocumentedCommand command : DocumentedCommand.all(ROOT)) {
            if (command.block() && command.where().matches("docs/(multi-task|tuning).md")) {
                type(command.line());
                typed++;
            }
        }
        assertThat(typed).isGreaterThanOrEqualTo(5);
    }

    /** A server and workers, and a server and its clients, each in a terminal of its own. */
    @Test
    @Timeout(400)
    @EnabledIfSystemProperty(named = "tutti.documents", matches = ".+", disabledReason = "takes minutes")
    void thoseOfSeveralTerminalsWorkAsPrinted() throws Exception {
        prepareClone();
        String roles = "docs/strategies/parameter-server.md";
        String text = Files.readString(ROOT.resolve(roles));
        String spec = text.substring(text.indexOf("## Roles by hand"));
        Files.writeString(
                folder.resolve("cluster.json"),
                spec.substring(spec.indexOf("```json") + "```json".length(), spec.indexOf("```\n```")));
        try (Background server = new Background(documented(roles, "./tutti server --spec cluster.json --index 0"));
                Background other =
                        new Background(documented(roles, "./tutti worker mnist --spec cluster.json --index 1"))) {
            type(documented(roles, "./tutti worker mnist --spec cluster.json --index 0"));
            assertThat(other.end()).as("%s", other).isZero();
            assertThat(server.end()).as("%s", server).isZero();
        }
        String federated = "docs/strategies/federated.md";
        for (int i = 0; i < 3; i++) {
            Files.createDirectories(folder.resolve("part" + i));
            Files.writeString(
                    folder.resolve("part" + i).resolve("data.yaml"),
                    "{source: {type: mnist, part: train}, stages: [{type: take, count: 600}, {type: shard, index: " + i
                            + ", count: 3}]}");
        }
        String join = "./tutti federate join 127.0.0.1:8090 --data part";
        try (Background server = new Background(documented(federated, "./tutti federate serve mnist --minimum 3"))) {
            server.await("(exec 3<> /dev/tcp/127.0.0.1/8090)");
            try (Background first = new Background(documented(federated, join + 0));
                    Background second = new Background(documented(federated, join + 1))) {
                type(documented(federated, join + 2));
                assertThat(first.end()).as("%s", first).isZero();
                assertThat(second.end()).as("%s", second).isZero();
            }
            assertThat(server.end()).as("%s", server).isZero();
        }
    }

    private static String documented(String document, String beginning) throws IOException {
        return DocumentedCommand.all(ROOT).stream()
                .filter(command -> command.block() && command.where().equals(document))
                .map(DocumentedCommand::line)
                .filter(line -> line.startsWith(beginning))
                .findFirst()
                .orElseThrow();
    }

    private static String line(String document, String beginning) throws IOException {
        try (Stream<String> lines = Files.lines(ROOT.resolve(document))) {
            return lines.filter(line -> line.startsWith(beginning)).findFirst().orElseThrow();
        }
    }

    private static String firstYaml(String document) throws IOException {
        String text = Files.readString(ROOT.resolve(document));
        int from = text.indexOf("```yaml\n") + "```yaml\n".length();
        return text.substring(from, text.indexOf("```", from));
    }

    /** A line that is typed into a terminal of its own and stays there. */
    private final class Background implements AutoCloseable {
        private final String line;
        private final Path log;
        private final Process shell;

        Background(String line) throws IOException {
            this.line = line;
            log = Files.createTempFile(folder, "background", ".log");
            shell = new ProcessBuilder("bash", "-c", "exec " + line)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
        }

        /** Waits until a command succeeds. */
        void await(String command) throws Exception {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            while (new ProcessBuilder("bash", "-c", command)
                            .directory(folder.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(folder.resolve("await.log").toFile())
                            .start()
                            .waitFor()
                    != 0) {
                assertThat(shell.isAlive()).as("%s", this).isTrue();
                assertThat(System.nanoTime()).as("%s: %s", command, this).isLessThan(deadline);
                TimeUnit.MILLISECONDS.sleep(200);
            }
        }

        /** Asks it to end, as Ctrl-C does; returns its exit code. */
        int stop() throws InterruptedException {
            shell.destroy();
            return end();
        }

        /** Waits for its end; returns its exit code. */
        int end() throws InterruptedException {
            assertThat(shell.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("%s ends", line)
                    .isTrue();
            return shell.exitValue();
        }

        @Override
        public String toString() {
            try {
                return line + ": " + Files.readString(log);
            } catch (IOException e) {
                return line;
            }
        }

        @Override
        public void close() {
            shell.descendants().forEach(ProcessHandle::destroyForcibly);
            shell.destroyForcibly();
        }
    }

    private void prepareClone() throws IOException {
        Path script = folder.resolve("tutti");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Files.writeString(
                script,
                "#!/usr/bin/env bash\ncase \"$*\" in *--print-job*) ;; 'train mnist'* | 'parity mnist'* | 'worker mnist'*) set -- \"$@\" --set 'data={train: "
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
            assertThat(shell.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("%s ends", line)
                    .isTrue();
            assertThat(shell.exitValue())
                    .as("%s: %s", line, Files.readString(log))
                    .isZero();
        } finally {
            shell.descendants().forEach(ProcessHandle::destroyForcibly);
            shell.destroyForcibly();
        }
    }
}
