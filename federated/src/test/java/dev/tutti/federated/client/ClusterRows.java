package dev.tutti.federated.client;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.sgd;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.Selection;
import dev.tutti.nn.Input;
import dev.tutti.nn.Sequential;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** A small job, and rows for its clients: points around four centres. */
final class ClusterRows {
    private ClusterRows() {}

    static FederatedJob job(Path output) {
        return FederatedJob.of(
                        "clusters",
                        Sequential.of(dense(12).relu(), dense(4)),
                        List.of(Input.of(8)),
                        sgd(0.2),
                        softmaxCrossEntropy())
                .metrics(accuracy())
                .batch(10)
                .seed(3)
                .rounds(3)
                .dataset("rows")
                .deadline(Duration.ofSeconds(20))
                .selection(new Selection().minimum(3))
                .least(2)
                .output(output);
    }

    static Dataset of(int client) {
        Random random = new Random(client);
        int rows = 40 + 10 * client;
        float[] x = new float[rows * 8];
        long[] y = new long[rows];
        for (int r = 0; r < rows; r++) {
            y[r] = random.nextInt(4);
            for (int f = 0; f < 8; f++) {
                x[r * 8 + f] = (float) random.nextGaussian() * 0.6f + (f % 4 == y[r] ? 1 : 0);
            }
        }
        return Dataset.of(NdArray.of(x, rows, 8), NdArray.of(y, rows));
    }
}
