package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {
    private final Terminal terminal = new Terminal();

    @Test
    void helpGoesToStandardOutput() {
        assertThat(terminal.run("--help")).isZero();
        assertThat(terminal.out())
                .startsWith("Usage: tutti")
                .contains("train", "parity", "evaluate", "predict", "summary", "export", "bench")
                .contains("130  stopped by Ctrl-C")
                .contains("tutti test");
        assertThat(terminal.err()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"train", "parity", "evaluate", "predict", "summary", "export", "bench"})
    void everyCommandExplainsItself(String command) {
        assertThat(terminal.run(command, "--help")).isZero();
        assertThat(terminal.out()).startsWith("Usage: tutti " + command).contains("--json");
        assertThat(terminal.err()).isEmpty();
    }

    @Test
    void withoutACommandItExplainsItselfAndFails() {
        assertThat(terminal.run()).isEqualTo(2);
        assertThat(terminal.err()).contains("Which command?").contains("Usage: tutti");
        assertThat(terminal.out()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        trian mnist                  | unknown command 'trian': did you mean 'train'?
        train mnist --epoch 3        | unknown option '--epoch': did you mean '--epochs'?
        train                        | Missing required parameter: 'JOB'
        train mnist more             | 'more' is one argument too many
        train mnist --set epochs     | --set epochs: expected KEY=VALUE, such as optimizer.type=sgd
        predict runs/digits          | predict needs something to ask about: images, JSON files, - for standard input, or --data
        export m --output m.tflite   | --output m.tflite: its name does not say the format; say --format torchscript or safetensors or onnx
        export m --format torchscrip --output m | --format torchscrip: there is no such format: did you mean 'torchscript'?
        bench engin                  | there is no benchmark 'engin': did you mean 'engine'?
        """)
    void wrongUsageIsSaidInOneSentenceWithWhatIsNear(String command, String message) {
        assertThat(terminal.run(command.split(" "))).isEqualTo(2);
        assertThat(terminal.err()).startsWith(message).doesNotContain("\tat ");
        assertThat(terminal.out()).isEmpty();
    }

    @Test
    void anErrorIsOneJsonObjectToo() {
        assertThat(terminal.run("train", "mnist", "--epochs", "zero", "--json")).isEqualTo(3);
        assertThat(terminal.json().path("exitCode").asInt()).isEqualTo(3);
        assertThat(terminal.json().path("error").asText())
                .isEqualTo("--epochs zero: epochs: expected a whole number, received 'zero'");
    }

    @Test
    void theBuiltInJobCanBePrintedAndBenchmarksListed() {
        assertThat(terminal.run("train", "mnist", "--print-job")).isZero();
        assertThat(terminal.out()).contains("data: mnist", "conv2d");
        assertThat(terminal.run("bench", "--json")).isZero();
        assertThat(terminal.json().path("benchmarks").toString()).contains("engine", "mnist");
    }
}
