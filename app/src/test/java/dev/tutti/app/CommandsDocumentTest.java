package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.train.job.Job;
import dev.tutti.train.job.JobCheckpoints;
import dev.tutti.train.job.JobFile;
import dev.tutti.train.job.ReadyJob;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What docs/commands.md says is true. */
class CommandsDocumentTest {
    private String document;

    @BeforeEach
    void read() throws IOException {
        document = Files.readString(Path.of("..", "docs", "commands.md"));
    }

    @Test
    void itsJobCanBeRunAndNamesEveryKey() {
        Matcher example = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL).matcher(document);
        assertThat(example.find()).isTrue();
        String yaml = example.group(1);
        try (ReadyJob ready = ReadyJob.check(JobFile.of(yaml, "the example", "example"))) {
            assertThat(ready.model().vector().size()).isPositive();
        }
        assertThat(keys(Job.class)).allSatisfy(key -> assertThat(yaml).containsPattern("(?m)^" + key + ":"));
        assertThat(keys(JobCheckpoints.class))
                .allSatisfy(key -> assertThat(yaml).contains("  " + key + ":"));
    }

    private static List<String> keys(Class<?> type) {
        return Arrays.stream(type.getDeclaredFields())
                .filter(field -> !Modifier.isStatic(field.getModifiers()))
                .map(Field::getName)
                .toList();
    }

    @Test
    void itKnowsEveryExitCodeAndCommand() {
        for (ExitCode code : ExitCode.values()) {
            assertThat(document).contains("| " + code.number() + " |");
        }
        Stream.of(
                        "train",
                        "parity",
                        "evaluate",
                        "predict",
                        "summary",
                        "export",
                        "run",
                        "coordinator",
                        "soak",
                        "bench",
                        "example")
                .forEach(command -> assertThat(document).contains("| `./tutti " + command));
    }
}
