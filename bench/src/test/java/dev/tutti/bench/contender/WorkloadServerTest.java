package dev.tutti.bench.contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.json.Json;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WorkloadServerTest {
    private final List<String> events = new ArrayList<>();

    @Test
    void noTimeAtAllIsOneStep() throws Exception {
        List<JsonNode> answers = serve("run product 0");
        assertThat(answers.get(0).get("ready").asBoolean()).isTrue();
        assertThat(answers.get(1).get("steps").asInt()).isEqualTo(1);
        double seconds = answers.get(1).get("seconds").asDouble();
        assertThat(answers.get(1).get("samples_per_second").asDouble()).isCloseTo(32 / seconds, withPercentage(1));
    }

    @Test
    void aWorkloadIsBuiltOnceAndClosedWhenAnotherIsWanted() throws Exception {
        serve("run product 0", "run product 0", "run failing 0");
        assertThat(events).containsExactly("build product", "close product");
    }

    @Test
    void itRunsForAsLongAsItWasAsked() throws Exception {
        JsonNode answer = serve("run product 0.05").get(1);
        assertThat(answer.get("seconds").asDouble()).isGreaterThanOrEqualTo(0.05);
        assertThat(answer.get("steps").asInt()).isGreaterThan(1);
    }

    @Test
    void errorsAreAnsweredAndTheServerGoesOn() throws Exception {
        List<JsonNode> answers = serve("run prodct 0", "dance", "run failing 0", "run product soon", "run product 0");
        assertThat(answers.get(1).get("error").asText()).contains("did you mean 'product'?");
        assertThat(answers.get(2).get("error").asText()).contains("expected 'run WORKLOAD SECONDS', received 'dance'");
        assertThat(answers.get(3).get("error").asText()).contains("step went wrong");
        assertThat(answers.get(4).get("error").asText()).contains("soon");
        assertThat(answers.get(5).get("steps").asInt()).isEqualTo(1);
    }

    private List<JsonNode> serve(String... questions) throws IOException {
        var server = new WorkloadServer(Map.of("product", Product::new, "failing", Failing::new));
        var output = new ByteArrayOutputStream();
        server.serve(
                new ByteArrayInputStream(String.join("\n", questions).getBytes(StandardCharsets.UTF_8)),
                new PrintStream(output, true, StandardCharsets.UTF_8));
        List<JsonNode> answers = new ArrayList<>();
        for (String line : output.toString(StandardCharsets.UTF_8).lines().toList()) {
            answers.add(Json.json().readTree(line));
        }
        assertThat(answers).hasSize(1 + questions.length);
        return answers;
    }

    /** A product of two small matrices: real work that needs nothing but Java. */
    private final class Product implements Workload {
        private final float[] a = new float[32 * 32];
        private final float[] b = new float[32 * 32];
        private final float[] c = new float[32 * 32];

        Product() {
            events.add("build product");
        }

        @Override
        public void step() {
            for (int i = 0; i < 32; i++) {
                for (int k = 0; k < 32; k++) {
                    for (int j = 0; j < 32; j++) {
                        c[i * 32 + j] += a[i * 32 + k] * b[k * 32 + j];
                    }
                }
            }
        }

        @Override
        public int batch() {
            return 32;
        }

        @Override
        public void close() {
            events.add("close product");
        }
    }

    private static final class Failing implements Workload {
        @Override
        public void step() {
            throw new IllegalStateException("step went wrong");
        }

        @Override
        public int batch() {
            return 1;
        }
    }
}
