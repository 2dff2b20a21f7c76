package dev.tutti.bench.serve;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.bench.contender.Workload;
import dev.tutti.bench.contender.WorkloadServer;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Model;
import dev.tutti.train.Predictor;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/** The process that predicts for rows in memory, a batch after the other: mlp and cnn. */
public final class PredictContender {
    private static final int ROWS = 16_384;
    private static final int BATCH = 256;

    private PredictContender() {}

    public static void main(String[] arguments) throws IOException {
        Map<String, Supplier<Workload>> all = new LinkedHashMap<>();
        for (ServedNetwork network : ServedNetwork.values()) {
            all.put(network.key(), () -> workload(network));
        }
        new WorkloadServer(all).serveStandardStreams();
    }

    private static Workload workload(ServedNetwork network) {
        Model model = Model.of(
                network.definition(), Model.Options.DEFAULT.forInference(), java.util.List.of(network.input()));
        Random random = new Random(1);
        float[] numbers = new float[ROWS * ServedNetwork.PIXELS];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = random.nextFloat();
        }
        Shape shape = network.input().shape().prepend(ROWS);
        Dataset rows = Dataset.of(NdArray.wrap(DType.FLOAT32, shape, numbers)).batch(BATCH);
        Predictor predictor = Predictor.of(model);
        return new Workload() {
            @Override
            public void step() {
                predictor.predict(rows, outputs -> {});
            }

            @Override
            public int batch() {
                return ROWS;
            }
        };
    }
}
