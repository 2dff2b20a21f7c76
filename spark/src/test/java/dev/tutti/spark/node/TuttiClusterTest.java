package dev.tutti.spark.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.spark.TestSession;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

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

    @Test
    void aNodeThatHasHadEnoughOrHasFailedDoesNotHoldUpTheFeed() {
        NodeFunction few = (arguments, context) -> {
            if (context.jobName().equals("ps")) {
                return; // a server is not fed
            }
            int taken = 0;
            while (!context.feed().shouldStop()) {
                taken += context.feed().nextBatch(8).size();
                if (taken >= 8) {
                    context.feed().terminate();
                }
            }
        };
        TuttiCluster cluster = TuttiCluster.run(TestSession.get(), few, Map.of(), 1, 1, InputMode.SPARK);
        cluster.train(rows(20_000, 4), 1); // more than a feed has room for, also from the executor without a worker
        cluster.shutdown();

        NodeFunction failing = (arguments, context) -> {
            context.feed().nextBatch(1);
            throw new IllegalStateException("no disk");
        };
        TuttiCluster broken = TuttiCluster.run(TestSession.get(), failing, Map.of(), 2, 0, InputMode.SPARK);
        assertThatThrownBy(() -> broken.train(rows(20_000, 2), 1))
                .hasMessageContaining("IllegalStateException: no disk");
        broken.shutdown(Duration.ofSeconds(30));
        assertThatThrownBy(() -> TuttiCluster.run(TestSession.get(), few, Map.of(), 0, 0, InputMode.TUTTI))
                .hasMessageContaining("at least 1 worker");
    }

    @Test
    void oneWorkerIsAskedFromAllExecutors() {
        NodeFunction twice = (arguments, context) -> {
            while (!context.feed().shouldStop()) {
                context.feed()
                        .batchResults(context.feed().nextBatch(16).stream()
                                .map(row -> new float[] {2 * row[0], context.taskIndex()})
                                .toList());
            }
        };
        TuttiCluster cluster = TuttiCluster.run(TestSession.get(), twice, Map.of(), 1, 0, InputMode.SPARK);
        List<float[]> answers = cluster.inference(rows(2000, 6)).collect();
        assertThat(answers).hasSize(2000);
        for (int i = 0; i < 2000; i++) {
            assertThat(answers.get(i)).containsExactly(2f * i, 0);
        }
        cluster.shutdown();
    }

    /** A program that does as TensorBoard does: it says where it is, and runs until it is ended. */
    @Test
    void tensorBoardIsStartedWhereItIsInstalled(@TempDir Path folder) throws Exception {
        Path program = folder.resolve("tensorboard");
        Files.writeString(
                program,
                "#!/bin/sh\necho 'loading'\necho \"TensorBoard 2.20.0 at http://$4:6006/ (Press CTRL+C to quit)\"\nexec sleep 600\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        try (TensorBoardProcess board = TensorBoardProcess.start("/nowhere:" + folder, "logs", "127.0.0.1")
                .orElseThrow()) {
            assertThat(board.address()).isEqualTo("http://127.0.0.1:6006/");
            assertThat(board.isAlive()).isTrue();
        }
        assertThat(TensorBoardProcess.start("/nowhere", "logs", "127.0.0.1")).isEmpty();
        Files.writeString(program, "#!/bin/sh\necho 'no such folder'\nexit 1\n");
        assertThat(TensorBoardProcess.start(folder.toString(), "logs", "127.0.0.1"))
                .isEmpty();
    }
}
