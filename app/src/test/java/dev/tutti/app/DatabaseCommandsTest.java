package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cluster.Cluster;
import dev.tutti.data.Dataset;
import dev.tutti.loss.Losses;
import dev.tutti.nn.Layers;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizers;
import dev.tutti.source.jdbc.JdbcSource;
import dev.tutti.strategy.Strategies;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
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

    private static long rowsRead(String sequence) throws SQLException {
        try (Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement();
                var result = statement.executeQuery(
                        "select case when is_called then last_value else 0 end from " + sequence)) {
            result.next();
            return result.getLong(1);
        }
    }

    /** A query that counts the rows the database has given. */
    private static String counting(String sequence) throws SQLException {
        try (Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create sequence " + sequence);
        }
        return "select id, coalesce(temperature, 20) as temperature, pressure, nextval('" + sequence
                + "') as given from readings";
    }

    private static String url() {
        return "jdbc:postgresql://127.0.0.1:" + postgres.getPort() + "/postgres?user=postgres";
    }

    @Test
    void theMembersOfACommandReadADatabaseOnce() throws Exception {
        String query = counting("by_command");
        Path job = Files.writeString(folder.resolve("counted.yaml"), """
                data:
                  train:
                    source: {type: jdbc, url: "%s", query: "%s", key: id, columns: [temperature, pressure], label: pressure}
                model: {type: sequential, layers: [{type: dense, units: 1}]}
                loss: mse
                optimizer: {type: sgd, learningRate: 0.0001}
                batch: 100
                epochs: 2
                cluster: {type: processes, members: 3}
                strategy: allReduce
                """.formatted(url(), query));
        String run = folder.resolve("counted").toString();
        assertThat(terminal.run("train", job.toString(), "--output", run, "--json"))
                .as(terminal.err())
                .isZero();
        assertThat(rowsRead("by_command")).isEqualTo(2000);
    }

    @Test
    void theJvmsThatAProgramStartsReadADatabaseOnce() throws SQLException {
        String query = counting("by_program");
        Dataset data = Dataset.of(JdbcSource.query(url(), query, "id")
                        .columns(List.of("temperature", "pressure"))
                        .label("pressure"))
                .batch(100);
        try (Trainer trainer = Trainer.of(Sequential.of(Layers.dense(1)), Optimizers.sgd(0.0001), Losses.mse())) {
            trainer.fit(
                    data,
                    Fit.epochs(2)
                            .on(Cluster.processes(4))
                            .with(Strategies.allReduce())
                            .quiet());
        }
        assertThat(rowsRead("by_program"))
                .as(
                        "the program, and the first of the three JVMs it has started; they share where an earlier test said so")
                .isIn(2000L, 2 * 2000L);
    }
}
