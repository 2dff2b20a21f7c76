package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a table of a real PostgreSQL, which the test starts, to predictions by commands alone. */
class DatabaseCommandsTest {
    @TempDir
    static Path folder;

    private static EmbeddedPostgres postgres;
    private static final Path EXAMPLES =
            Path.of("..", "examples").toAbsolutePath().normalize();

    private final Terminal terminal = new Terminal();

    @BeforeAll
    static void start() throws IOException, SQLException {
        postgres = EmbeddedPostgres.builder()
                .setPGStartupWait(Duration.ofSeconds(60))
                .start();
        try (Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(Files.readString(EXAMPLES.resolve("data").resolve("readings.sql")));
        }
    }

    @AfterAll
    static void stop() throws IOException {
        postgres.close();
    }

    @Test
    void theExampleLearns() throws IOException {
        String text = Files.readString(EXAMPLES.resolve("jobs").resolve("database.yaml"));
        Path job = Files.writeString(
                folder.resolve("database.yaml"), text.replace(":5432/", ":" + postgres.getPort() + "/"));
        String run = folder.resolve("example").toString();
        assertThat(terminal.run("train", job.toString(), "--output", run, "--json"))
                .as(terminal.err())
                .isZero();
        assertThat(terminal.json().get("r2").asDouble()).isGreaterThan(0.9);
    }

    @Test
    void anAddressIsPeekedAtDraftedTrainedAndAsked() throws IOException {
        String address = "postgresql://postgres@127.0.0.1:" + postgres.getPort() + "/postgres";
        assertThat(terminal.run("peek", address, "--table", "readings"))
                .as(terminal.err())
                .isZero();
        assertThat(terminal.out()).contains("2,000 rows, 5 columns").contains("temperature");
        Path job = folder.resolve("readings.yaml");
        assertThat(terminal.run(
                        "init", address, "--table", "readings", "--label", "pressure", "--output", job.toString()))
                .as(terminal.err())
                .isZero();
        assertThat(job).content().contains("type: jdbc").contains("key: id");
        String run = folder.resolve("readings").toString();
        assertThat(terminal.run(
                        "train", job.toString(), "--epochs", "3", "--processes", "2", "--output", run, "--json"))
                .as(terminal.err())
                .isZero();
        Path rows = Files.writeString(
                folder.resolve("new.csv"), "taken,sensor,temperature\n2026-03-01 10:00:00,sensor-1,21.5\n");
        assertThat(terminal.run("predict", run, rows.toString()))
                .as(terminal.err())
                .isZero();
        assertThat(terminal.run("init", address, "--label", "pressure")).isEqualTo(2);
        assertThat(terminal.err()).contains("--table");
    }
}
