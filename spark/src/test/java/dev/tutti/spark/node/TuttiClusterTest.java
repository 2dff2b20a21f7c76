package dev.tutti.spark.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.spark.TestSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes with a function of their own, fed by RDDs, on two executor processes. */
@Timeout(300)
class TuttiClusterTest {
    private static JavaRDD<float[]> rows(int count, int parts) {
        List<float[]> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(new float[] {i});
        }
        return JavaSparkContext.fromSparkContext(TestSession.get().sparkContext())
                .parallelize(rows, parts);
    }

    @Test
    void nodesAnswerEveryRowAndEndWhenTheyAreToldTo() {
        NodeFunction square = (arguments, context) -> {
            while (!context.feed().shouldStop()) {
                List<float[]> results = new ArrayList<>();
                for (float[] row : context.feed().nextBatch(16)) {
                    results.add(new float[] {row[0] * row[0] * Float.parseFloat(arguments.get("factor"))});
                }
                context.feed().batchResults(results);
            }
        };
        TuttiCluster cluster =
                TuttiCluster.run(TestSession.get(), square, Map.of("factor", "2"), 2, 0, InputMode.SPARK);
        List<float[]> answers = cluster.inference(rows(100, 5)).collect();
        assertThat(answers).hasSize(100);
        for (int i = 0; i < 100; i++) {
            assertThat(answers.get(i)[0]).isEqualTo(2f * i * i);
        }
        cluster.train(rows(1000, 3), 2);
        cluster.shutdown(Duration.ofSeconds(30));
    }
}
