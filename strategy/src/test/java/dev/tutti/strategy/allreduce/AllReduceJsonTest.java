package dev.tutti.strategy.allreduce;

import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.strategy.compression.Compressions.fp16;
import static dev.tutti.strategy.compression.Compressions.topK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.json.Json;
import dev.tutti.train.replica.Strategy;
import org.junit.jupiter.api.Test;

/** The strategy in files. */
class AllReduceJsonTest {
    @Test
    void settingsAreWrittenAndRead() {
        assertSame(allReduce(), "{\"type\":\"allReduce\"}");
        assertSame(
                allReduce().compression(topK(0.02)),
                "{\"type\":\"allReduce\",\"compression\":{\"type\":\"topK\",\"fraction\":0.02}}");
        assertSame(allReduce().overlap(true), "{\"type\":\"allReduce\",\"overlap\":true}");
        assertSame(allReduce().shardedState(), "{\"type\":\"allReduce\",\"shardedState\":true}");
        assertSame(allReduce().compression(fp16()), "{\"type\":\"allReduce\",\"compression\":{\"type\":\"fp16\"}}");
    }

    private static void assertSame(Strategy strategy, String json) {
        assertThat(Json.write(strategy).replaceAll("\\s", "")).isEqualTo(json);
        assertThat(Json.read(json, Strategy.class, "test")).hasToString(strategy.toString());
    }

    @Test
    void shortForms() {
        assertThat(Json.readYaml("allReduce", Strategy.class, "test")).hasToString("allReduce()");
        assertThat(Json.readYaml("{type: allReduce, compression: bf16}", Strategy.class, "test"))
                .hasToString("allReduce().compression(bf16())");
    }

    @Test
    void mistakesAreNamed() {
        assertThatThrownBy(() -> Json.readYaml("{type: allReduce, compression: topk}", Strategy.class, "job.yaml"))
                .hasMessageContaining("unknown compression 'topk'")
                .hasMessageContaining("topK");
        Strategy bad =
                Json.readYaml("{type: allReduce, compression: {type: topK, fraction: 3}}", Strategy.class, "job.yaml");
        assertThatThrownBy(bad::validate).hasMessageContaining("up to 1, received 3.0");
    }
}
