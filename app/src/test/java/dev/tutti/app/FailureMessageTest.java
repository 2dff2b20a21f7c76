package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.TuttiException;
import dev.tutti.app.input.InputException;
import dev.tutti.data.DataException;
import dev.tutti.io.CorruptFileException;
import dev.tutti.io.DiskFullException;
import dev.tutti.json.ConfigException;
import dev.tutti.loss.TargetException;
import dev.tutti.metric.MetricException;
import dev.tutti.nn.ShapeException;
import dev.tutti.tensor.TensorException;
import dev.tutti.train.TrainingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FailureMessageTest {
    static Stream<Arguments> causes() {
        return Stream.of(
                Arguments.of(new UsageException("x"), ExitCode.USAGE),
                Arguments.of(new ConfigException("x"), ExitCode.JOB),
                Arguments.of(new ShapeException("x"), ExitCode.JOB),
                Arguments.of(new DataException("x"), ExitCode.DATA),
                Arguments.of(new TargetException("x"), ExitCode.DATA),
                Arguments.of(new MetricException("accuracy", "x"), ExitCode.DATA),
                Arguments.of(new InputException("file", "x"), ExitCode.DATA),
                Arguments.of(new TrainingException("x"), ExitCode.TRAINING),
                Arguments.of(new TensorException("x"), ExitCode.TRAINING),
                Arguments.of(new CorruptFileException("file", "x"), ExitCode.FILE),
                Arguments.of(new DiskFullException(Path.of("file"), 1, 1, null), ExitCode.FILE),
                Arguments.of(new TuttiException("x"), ExitCode.FAULT));
    }

    @ParameterizedTest
    @MethodSource("causes")
    void whatAUserCanMendIsTheMessageAlone(TuttiException cause, ExitCode code) {
        assertThat(FailureMessage.of(cause)).isEqualTo(new FailureMessage(cause.getMessage(), code));
    }

    @Test
    void aFaultOfOursSaysWhereTheStackTraceIs() throws IOException {
        FailureMessage failure = FailureMessage.of(new IllegalStateException("oh"));
        assertThat(failure.code()).isEqualTo(ExitCode.FAULT);
        assertThat(failure.message()).startsWith("This is a fault in Tutti").contains("oh", "--verbose");
        Matcher log = Pattern.compile("is in (\\S+)").matcher(failure.message());
        assertThat(log.find()).isTrue();
        Path file = Path.of(log.group(1));
        assertThat(file).content().contains("IllegalStateException: oh", "FailureMessageTest");
        Files.delete(file);
    }

    @Test
    void tooLittleMemoryIsSaidInWords() {
        assertThat(FailureMessage.of(new OutOfMemoryError("Java heap space")).message())
                .contains("not enough memory", "smaller batch", "TUTTI_JAVA_OPTS");
    }
}
