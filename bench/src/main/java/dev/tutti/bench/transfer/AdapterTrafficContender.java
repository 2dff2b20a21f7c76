package dev.tutti.bench.transfer;

import static dev.tutti.loss.Losses.mse;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.sgd;

import dev.tutti.array.NdArray;
import dev.tutti.bench.strategies.MeteredLauncher;
import dev.tutti.cluster.Cluster;
import dev.tutti.data.Dataset;
import dev.tutti.json.Json;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.LowRankAdapter;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.transfer.Lora;
import java.util.Map;
import java.util.Set;

/**
 * Bytes that a member of an all-reduce sends for one step: {@code AdapterTrafficContender lora} for a layer of 512 x 512 with adapters of
 * rank 8 and everything else frozen, {@code plain} for a layer without adapters that has as many parameters as those.
 */
public final class AdapterTrafficContender {
    public static final String BYTES = "bytes_per_step";

    private static final int WIDTH = 512;
    private static final int RANK = 8;
    private static final int ROWS = 64;
    private static final int STEPS = 8;

    private AdapterTrafficContender() {}

    public static void main(String[] arguments) {
        System.out.println(Json.write(Map.of(BYTES, sent(arguments[0].equals("lora")))));
    }

    /** Between two steps of an epoch, so that nothing but steps is counted. */
    private static long sent(boolean lora) {
        MeteredLauncher place = new MeteredLauncher(Cluster.members(2));
        int inputs = lora ? WIDTH : 2 * RANK;
        Layer definition = Sequential.of(
                dense(WIDTH).noBias()); // 2 * RANK * WIDTH parameters, as both matrices of the adapter have
        Dataset data = Dataset.of(
                        NdArray.of(new float[ROWS * inputs], ROWS, inputs),
                        NdArray.of(new float[ROWS * WIDTH], ROWS, WIDTH))
                .batch(ROWS / STEPS);
        try (Model model = Model.of(
                        lora ? Lora.adapt(definition, new LowRankAdapter(RANK, RANK)) : definition, Input.of(inputs));
                Trainer trainer = Trainer.of(model, sgd(0.1), mse())) {
            if (lora) {
                Lora.freezeBase(model, Set.of());
            }
            long[] after = new long[STEPS + 1];
            Callback meter = new Callback() {
                @Override
                public void step(Run run) {
                    after[(int) run.stepOfEpoch()] = place.sent();
                }
            };
            trainer.fit(data, Fit.epochs(1).quiet().callbacks(meter).on(place));
            return (after[STEPS - 1] - after[2]) / (STEPS - 3);
        }
    }
}
