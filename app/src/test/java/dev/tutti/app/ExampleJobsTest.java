package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The jobs of examples/jobs run and learn what their data was made of. */
class ExampleJobsTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "people, accuracy, 0.9",
        "orders, r2, 0.95",
        "bars, accuracy, 0.9",
        "photos, accuracy, 0.9",
        "reviews, accuracy, 0.95"
    })
    void exampleLearns(String name, String metric, double least) throws IOException {
        Path examples = Path.of("..", "examples").toAbsolutePath().normalize();
        String text = Files.readString(examples.resolve("jobs").resolve(name + ".yaml"));
        Path job = Files.writeString(folder.resolve(name + ".yaml"), text.replace("examples/data", examples + "/data"));
        Terminal terminal = new Terminal();
        int code = terminal.run(
                "train", job.toString(), "--output", folder.resolve("run").toString(), "--json");
        assertThat(code).as(terminal.err()).isZero();
        assertThat(terminal.json().get(metric).asDouble()).isGreaterThan(least);
    }
}
