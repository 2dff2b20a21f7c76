package dev.tutti.spark.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.spark.SparkJars;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real master and worker daemons, from the jars of the build. */
@Timeout(200)
class StandaloneClusterTest {
    @Test
    void startsIsFoundAndStops(@TempDir Path folder) throws Exception {
        Path jars = SparkJars.linkedIn(folder);
        StandaloneCluster cluster = StandaloneCluster.start(folder, new StandaloneCluster.Size(jars, 2, 1, "1g", 0));
        try {
            assertThat(cluster.master()).startsWith("spark://127.0.0.1:");
            assertThat(cluster.processes()).hasSize(3).allMatch(StandaloneCluster.Daemon::isAlive);
            assertThat(StandaloneCluster.in(folder)).contains(cluster);
            assertThat(Arrays.asList(folder.toFile().list())).contains("master.log", "worker-0.log", "worker-1.log");
        } finally {
            assertThat(StandaloneCluster.stop(folder)).isTrue();
        }
        assertThat(cluster.processes()).noneMatch(StandaloneCluster.Daemon::isAlive);
        assertThat(StandaloneCluster.in(folder)).isEmpty();
        assertThat(StandaloneCluster.stop(folder)).isFalse();
    }
}
