package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where training runs, where its time went, and the timeline of it. */
@Timeout(120)
class TrainOptionsTest {
    @TempDir
    private Path folder;

    private final Terminal terminal = new Terminal();

    @Test
    void whereTheTimeWentIsShownAndPartOfTheAnswer() throws IOException {
        String job = SmallJob.write(folder).toString();
        Path trace = folder.resolve("trace.json");
        assertThat(terminal.run("train", job, "--workers", "2", "--trace", trace.toString(), "--json"))
                .as(terminal.err())
                .isZero();
        JsonNode times = terminal.json().path("times");
        assertThat(times.path("limit").asText()).contains("% of the step");
        assertThat(times.path("members")).hasSize(1);
        assertThat(times.path("members").get(0).path("steps").asInt()).isEqualTo(16);
        assertThat(times.path("members").get(0).path("compute").asDouble()).isPositive();
        assertThat(terminal.err())
                .contains("member", "compute", "worker-0", times.path("limit").asText())
                .contains("The timeline is in " + trace);
        assertThat(Json.json().readTree(Files.readString(trace)).size()).isGreaterThan(2 * 16);
        assertThat(folder.resolve("run/job.yaml")).content().contains("threads", "workers: 2");
    }

    @Test
    void aTimelineThatCannotBeWrittenIsSaid() throws IOException {
        String job = SmallJob.write(folder).toString();
        assertThat(terminal.run("train", job, "--trace", folder.toString())).isEqualTo(6);
        assertThat(terminal.err()).contains(folder.toString());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --workers two                | 2 | --workers two: expected a whole number from 1 on
        --processes 0                | 2 | --processes 0: expected a whole number from 1 on
        --workers 2 --cluster here   | 2 | say one of --cluster, --workers, --processes and --on
        --cluster thread             | 3 | --cluster thread: cluster: unknown launcher 'thread': did you mean 'threads'?
        --strategy allreduce         | 3 | --strategy allreduce: strategy: unknown strategy 'allreduce': did you mean 'allReduce'?
        --workers 2 --strategy local | 3 | --strategy local: the strategy local trains on one worker, received 2: choose a strategy
        """)
    void whatIsWrongIsSaid(String options, int code, String message) throws IOException {
        String job = SmallJob.write(folder).toString();
        String[] args = ("train " + job + " " + options).split(" ");
        assertThat(terminal.run(args)).isEqualTo(code);
        assertThat(terminal.err()).startsWith(message);
    }
}
