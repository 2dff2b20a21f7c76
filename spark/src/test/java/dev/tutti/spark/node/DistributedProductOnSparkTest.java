package dev.tutti.spark.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.comm.Team;
import dev.tutti.spark.TestSession;
import dev.tutti.strategy.parallel.matrix.DistributedProduct;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Matrices that are divided among the executors of a Spark job are multiplied there. */
@Timeout(300)
class DistributedProductOnSparkTest {
    private static final int SIZE = 8;

    private static NdArray matrix(int factor) {
        float[] values = new float[SIZE * SIZE];
        for (int i = 0; i < values.length; i++) {
            values[i] = i * factor % 7 - 3;
        }
        return NdArray.of(values, SIZE, SIZE);
    }

    private static String text(Tensor matrix) {
        NdArray array = matrix.toArray();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < array.size(); i++) {
            text.append(array.at(i)).append(' ');
        }
        return text.toString();
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void executorsMultiplyColumnsByRows(@TempDir Path folder) {
        NodeFunction multiply = (arguments, context) -> {
            Team team = context.team();
            team.meet(0);
            try (Scope scope = Scope.open()) {
                Range own = DistributedProduct.part(team.group(), SIZE);
                Tensor product = DistributedProduct.columnsByRows(
                        team.collectives(),
                        Tensor.of(matrix(3)).narrow(1, own.from(), own.length()),
                        Tensor.of(matrix(5)).narrow(0, own.from(), own.length()));
                write(Path.of(arguments.get("folder"), "product-" + team.group().rank()), text(product));
            }
        };
        TuttiCluster cluster = TuttiCluster.run(
                TestSession.get(), multiply, Map.of("folder", folder.toString()), 2, 0, InputMode.TUTTI);
        cluster.shutdown(Duration.ofSeconds(60));
        try (Scope scope = Scope.open()) {
            String expected = text(Tensor.of(matrix(3)).matmul(Tensor.of(matrix(5))));
            assertThat(folder.resolve("product-0")).hasContent(expected);
            assertThat(folder.resolve("product-1")).hasContent(expected);
        }
    }
}
