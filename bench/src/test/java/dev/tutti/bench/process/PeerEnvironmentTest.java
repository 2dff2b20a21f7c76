package dev.tutti.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.TuttiException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The environment is made by a stand-in for Python: a script that notes what it was asked and does as little. */
class PeerEnvironmentTest {
    @TempDir
    Path folder;

    private final ByteArrayOutputStream progress = new ByteArrayOutputStream();
    private BenchProcesses children;
    private Path peers;
    private Path torch;
    private Path tensorflow;

    @BeforeEach
    void prepare() throws IOException {
        children = new BenchProcesses(folder);
        peers = folder.resolve("cache/peers");
        torch = Files.writeString(folder.resolve("requirements-torch.txt"), "# the engine\n\ntorch>=2.10\nnumpy\n");
        tensorflow = Files.writeString(folder.resolve("requirements-tensorflow.txt"), "tensorflow-cpu\nnumpy\n");
    }

    @AfterEach
    void close() {
        children.close();
    }

    @Test
    void itIsMadeOnceAndThenLeftAlone() throws Exception {
        Path python = python("");
        environment(python).install(List.of(torch));
        environment(python).install(List.of(torch));
        assertThat(calls()).containsExactly("venv", "pip requirements-torch.txt");
        assertThat(progress.toString(StandardCharsets.UTF_8)).contains("Making", "Installing torch>=2.10, numpy");
    }

    @Test
    void whatIsMissingIsAddedToWhatIsThere() throws Exception {
        Path python = python("");
        environment(python).install(List.of(torch));
        environment(python).install(List.of(torch, tensorflow));
        assertThat(calls()).containsExactly("venv", "pip requirements-torch.txt", "pip requirements-tensorflow.txt");
    }

    @Test
    void oneThatWasCutShortIsMadeAgain() throws Exception {
        assertThatThrownBy(() -> environment(python("echo 'No space left on device' >&2; exit 1"))
                        .install(List.of(torch)))
                .isInstanceOf(TuttiException.class)
                .hasMessageContaining("could not be installed from " + torch)
                .hasMessageContaining("No space left on device");

        environment(python("")).install(List.of(torch));

        assertThat(calls()).containsExactly("venv", "pip requirements-torch.txt", "venv", "pip requirements-torch.txt");
    }

    @Test
    void anEnvironmentThatFailsWhileGrowingIsNotTrustedAnyMore() throws Exception {
        environment(python("")).install(List.of(torch));
        Files.writeString(PeerEnvironment.python(peers), "#!/bin/sh\nexit 1\n");
        assertThatThrownBy(() -> environment(python("")).install(List.of(tensorflow)))
                .isInstanceOf(TuttiException.class);
        environment(python("")).install(List.of(torch));
        assertThat(calls()).containsExactly("venv", "pip requirements-torch.txt", "venv", "pip requirements-torch.txt");
    }

    @Test
    void withoutPythonTheOneCommandIsNamed() {
        assertThatThrownBy(() -> environment(Path.of("no-such-python3")).install(List.of(torch)))
                .isInstanceOf(TuttiException.class)
                .hasMessageContaining("no-such-python3 was not found")
                .hasMessageContaining("apt-get install -y python3 python3-venv");
    }

    @Test
    void withoutItsVenvModuleTheOneCommandIsNamedToo() throws Exception {
        Path python = script(folder.resolve("python3"), "echo 'ensurepip is not available'; exit 1");
        assertThatThrownBy(() -> environment(python).install(List.of(torch)))
                .isInstanceOf(TuttiException.class)
                .hasMessageContaining("apt-get install -y python3 python3-venv")
                .hasMessageContaining("ensurepip is not available");
    }

    @Test
    void versionsAreReadFromWhatIsInstalled() throws Exception {
        Path site = Files.createDirectories(peers.resolve("lib/python3.11/site-packages"));
        Files.createDirectories(site.resolve("torch-2.15.0.dist-info"));
        Files.createDirectories(site.resolve("tensorflow_cpu-2.21.0.dist-info"));
        Files.createDirectories(site.resolve("other-1.0.dist-info"));
        assertThat(PeerEnvironment.versions(peers, Set.of("torch", "tensorflow-cpu")))
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("python", "3.11", "torch", "2.15.0", "tensorflow-cpu", "2.21.0"));
    }

    @Test
    void itLivesInTheUsersCache() {
        assertThat(PeerEnvironment.usualFolder(Map.of("XDG_CACHE_HOME", "/cache")))
                .isEqualTo(Path.of("/cache/tutti/peers"));
        assertThat(PeerEnvironment.usualFolder(Map.of()))
                .isEqualTo(Path.of(System.getProperty("user.home"), ".cache/tutti/peers"));
    }

    private PeerEnvironment environment(Path python) {
        return new PeerEnvironment(
                peers, python.toString(), children, new PrintStream(progress, true, StandardCharsets.UTF_8));
    }

    private List<String> calls() throws IOException {
        return Files.readAllLines(folder.resolve("calls"));
    }

    /** Makes an environment whose own Python installs nothing, notes that, and then runs this. */
    private Path python(String pip) throws IOException {
        String calls = folder.resolve("calls").toString();
        String lastArgument = "for last; do :; done\n";
        Path inner = script(
                folder.resolve("python-inside"), lastArgument + "echo pip $(basename $last) >> " + calls + "\n" + pip);
        return script(
                folder.resolve("python3"),
                lastArgument + "echo venv >> " + calls + "\nrm -rf $last\nmkdir -p $last/bin\ncp " + inner
                        + " $last/bin/python");
    }

    private static Path script(Path file, String text) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + text + "\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
