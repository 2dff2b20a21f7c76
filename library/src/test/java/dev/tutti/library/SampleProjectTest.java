package dev.tutti.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The project in the folder sample works for a user who has nothing but Tutti's coordinates: it is built and run with Tutti
 * installed into a Maven repository of its own, in which all other libraries are links to the repository of this build.
 */
class SampleProjectTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path REPOSITORY =
            Path.of("target", "sample", "repository").toAbsolutePath();
    private static final Path PROJECT = Path.of("target", "sample", "project").toAbsolutePath();
    private static final Path SOURCE = Path.of("src/main/java/sample/Sample.java");
    private static final int MOST_LINES = 60;

    /** What a process said, and its exit code. */
    private record Ending(int code, String output) {}

    @BeforeAll
    static void copyProjectAndLinkLibraries() throws Exception {
        delete(Path.of("target", "sample"));
        for (Path file : List.of(
                Path.of("pom.xml"),
                SOURCE,
                Path.of("src/main/resources/META-INF/services/dev.tutti.json.Definitions"))) {
            Files.createDirectories(PROJECT.resolve(file).getParent());
            Files.copy(ROOT.resolve("sample").resolve(file), PROJECT.resolve(file));
        }
        Path libraries = Path.of(System.getProperty("localRepository"));
        Files.createDirectories(REPOSITORY.resolve("dev"));
        linkAll(libraries, REPOSITORY, "dev");
        linkAll(libraries.resolve("dev"), REPOSITORY.resolve("dev"), "tutti");
    }

    @Test
    @Timeout(300)
    void buildsOnceTuttiIsInstalledAndTrainsResumesLoadsAndPredicts() throws Exception {
        Ending without = maven(PROJECT, "package");
        assertThat(without.code).as(without.output).isNotZero();
        assertThat(without.output).contains("dev.tutti:tutti");

        // What ./tutti install does, without compiling once more what the build that runs this test has compiled.
        Ending installed = maven(
                ROOT, "-P!checks", "-pl", "bom,library", "-am", "-Dmaven.main.skip", "-Dmaven.test.skip", "install");
        assertThat(installed.code).as(installed.output).isZero();
        Ending built = maven(PROJECT, "package");
        assertThat(built.code).as(built.output).isZero();

        Path run = PROJECT.resolve("run");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Ending ran = run(PROJECT, List.of(java, "-Xmx1g", "-jar", "target/sample.jar", run.toString()));
        assertThat(ran.code).as(ran.output).isZero();
        assertThat(ran.output)
                .as("own metric, own callback, progress on standard output")
                .containsPattern("(?m)^epoch 1/1  loss .* confident .* validation ")
                .containsPattern("(?m)^after epoch 1: loss .* confident ")
                .as("two JVMs, of which the second resumes")
                .contains("going on at step 63, epoch 2")
                .containsOnlyOnce("after epoch 1: ")
                .containsPattern("(?m)^after epoch 2: .* accuracy 0\\.[89]")
                .contains("predictions [1000, 10]");
        assertThat(Files.readString(run.resolve("model/model.json"))).contains("\"scale\"");
    }

    @Test
    void isShort() throws IOException {
        try (Stream<String> lines = Files.lines(ROOT.resolve("sample").resolve(SOURCE))) {
            assertThat(lines.filter(line -> !line.isBlank() && !line.matches("(import|package) .*")))
                    .hasSizeLessThanOrEqualTo(MOST_LINES);
        }
    }

    private static void linkAll(Path from, Path to, String except) throws IOException {
        if (!Files.isDirectory(from)) {
            return;
        }
        Files.createDirectories(to);
        try (Stream<Path> entries = Files.list(from)) {
            for (Path entry : entries.toList()) {
                if (!entry.getFileName().toString().equals(except)) {
                    Files.createSymbolicLink(to.resolve(entry.getFileName()), entry);
                }
            }
        }
    }

    private static Ending maven(Path folder, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("tutti.maven"), "bin", "mvn").toString(),
                "-B",
                "-ntp",
                "-Dmaven.repo.local=" + REPOSITORY));
        if (System.getProperty("tutti.network").equals("offline: true")) {
            command.add("-o");
        }
        command.addAll(List.of(arguments));
        return run(folder, command);
    }

    private static Ending run(Path folder, List<String> command) throws IOException, InterruptedException {
        Path log = Files.createTempFile(Path.of("target", "sample"), "process", ".log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().put("TUTTI_DATASETS", ROOT.resolve("datasets").toString());
        Process process = builder.start();
        try {
            if (!process.waitFor(200, TimeUnit.SECONDS)) {
                throw new AssertionError(command + " did not end: " + Files.readString(log));
            }
            return new Ending(process.exitValue(), Files.readString(log, StandardCharsets.UTF_8));
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    /** Removes a folder; links are removed, not followed. */
    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
