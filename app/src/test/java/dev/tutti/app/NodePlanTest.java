package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs on many nodes are predicted and simulated for a job. */
@Timeout(120)
class NodePlanTest {
    @TempDir
    private Path folder;

    private final Terminal terminal = new Terminal();
    private String job;

    @BeforeEach
    void writeJob() throws IOException {
        job = SmallJob.write(folder).toString();
    }

    @Test
    void everyStrategyIsPredictedAndOneRecommended() throws IOException {
        Path svg = folder.resolve("speeds.svg");
        assertThat(terminal.run(
                        "plan",
                        job,
                        "--nodes",
                        "1,2,4",
                        "--network",
                        "1Gbit/1ms",
                        "--failures",
                        "1%/day",
                        "--profile-seconds",
                        "0.5",
                        "--svg",
                        svg.toString(),
                        "--json"))
                .as(terminal.err())
                .isZero();
        JsonNode answer = terminal.json();
        assertThat(answer.at("/profile/parameters").asLong()).isEqualTo(784 * 16 + 16 + 16 * 10 + 10);
        assertThat(answer.at("/runs").findValuesAsText("strategy"))
                .contains("local", "all-reduce", "all-reduce, sharded state", "averaging every 16")
                .anyMatch(name -> name.startsWith("parameter servers, synchronous"))
                .anyMatch(name -> name.startsWith("parameter servers, asynchronous"))
                .anyMatch(name -> name.startsWith("grid, data"));
        answer.at("/runs").forEach(run -> {
            assertThat(run.at("/stepSeconds").asDouble()).isPositive();
            assertThat(run.at("/memoryBytes").asDouble()).isPositive();
            assertThat(run.at("/seconds").asDouble())
                    .isGreaterThanOrEqualTo(16 * run.at("/stepSeconds").asDouble());
        });
        assertThat(answer.at("/recommended/lines")).hasSize(2);
        assertThat(Files.readString(svg)).startsWith("<svg");
    }

    @Test
    void aWrongNetworkIsRefusedBeforeAnythingIsMeasured() {
        assertThat(terminal.run("plan", job, "--nodes", "2", "--network", "fast"))
                .isEqualTo(ExitCode.USAGE.number());
        assertThat(terminal.err()).contains("--network fast").contains("10Gbit/0.1ms");
    }

    @Test
    void membersAreSimulatedOverTheRealCoordinator() {
        assertThat(terminal.run(
                        "simulate",
                        job,
                        "--nodes",
                        "200",
                        "--failures",
                        "1%/min",
                        "--minutes",
                        "0.5",
                        "--profile-seconds",
                        "0.5",
                        "--json"))
                .as(terminal.err())
                .isZero();
        JsonNode result = terminal.json().at("/simulations/0/result");
        assertThat(result.at("/joined").asLong()).isGreaterThanOrEqualTo(200);
        assertThat(result.at("/generations").asLong()).isPositive();
        assertThat(result.at("/coordinatorCores").asDouble()).isBetween(0.0, 1.0);
    }
}
