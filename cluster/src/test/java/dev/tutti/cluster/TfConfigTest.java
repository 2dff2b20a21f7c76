package dev.tutti.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TensorFlow's description of a cluster, as its guides write it. */
class TfConfigTest {
    private static final String CLUSTER =
            "{\"cluster\": {\"ps\": [\"127.0.0.1:2222\"], \"chief\": [\"127.0.0.1:2223\"],"
                    + " \"worker\": [\"127.0.0.1:2224\", \"127.0.0.1:2225\"]}, \"environment\": \"cloud\", \"task\": ";

    @TempDir
    private Path home;

    private ClusterSpec spec(String type, int index) {
        return TfConfig.parse(CLUSTER + "{\"type\": \"" + type + "\", \"index\": " + index + "}}", Map.of(), home);
    }

    @Test
    void serversAreServersAndTheChiefIsTheFirstWorker() {
        assertThat(spec("ps", 0).task()).isEqualTo(new ClusterSpec.Task("server", 0));
        assertThat(spec("chief", 0).task()).isEqualTo(new ClusterSpec.Task("worker", 0));
        assertThat(spec("worker", 1).task()).isEqualTo(new ClusterSpec.Task("worker", 2));
        assertThat(spec("evaluator", 0).task()).isEqualTo(new ClusterSpec.Task("evaluator", 0));
        assertThat(spec("ps", 0).cluster().get("worker"))
                .isEqualTo(List.of("127.0.0.1:2223", "127.0.0.1:2224", "127.0.0.1:2225"));
        assertThat(spec("chief", 0).runsCoordinator()).isTrue();
        assertThat(spec("worker", 0).coordinator().port()).isEqualTo(2223);
    }

    @Test
    void processesOfOneUserFindTheSameSecretWhichNoOtherUserCanRead() throws IOException {
        String token = spec("ps", 0).token();
        assertThat(token).hasSize(48).isEqualTo(spec("worker", 1).token());
        try (var files = Files.list(home.resolve(".tutti/tokens"))) {
            assertThat(files.toList()).singleElement().satisfies(file -> {
                assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
            });
        }
        assertThat(TfConfig.parse(
                                CLUSTER + "{\"type\": \"ps\", \"index\": 0}}",
                                Map.of("TUTTI_TOKEN", "a secret of sixteen letters"),
                                home)
                        .token())
                .isEqualTo("a secret of sixteen letters");
    }

    @Test
    void aTaskThatIsNotInTheClusterIsRefused() {
        assertThatThrownBy(() -> TfConfig.parse("{\"cluster\": {\"worker\": [\"a:1\"]}}", Map.of(), home))
                .hasMessageContaining("TF_CONFIG: expected 'cluster' with addresses by role, and 'task'");
    }
}
