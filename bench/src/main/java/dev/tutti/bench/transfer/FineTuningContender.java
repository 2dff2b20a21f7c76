package dev.tutti.bench.transfer;

import static dev.tutti.nn.Layers.dense;

import dev.tutti.bench.contender.Workload;
import dev.tutti.bench.contender.WorkloadServer;
import dev.tutti.host.HostTuning;
import dev.tutti.nn.LowRankAdapter;
import dev.tutti.tensor.Engine;
import dev.tutti.train.transfer.Lora;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The process that fine-tunes: {@code FineTuningContender --threads 2}. Workloads: {@code full}, {@code head} (the encoder is frozen),
 * {@code cached} (its outputs are there already), {@code lora} (adapters of rank 8 on all dense layers and attentions).
 */
public final class FineTuningContender {
    private FineTuningContender() {}

    public static void main(String[] arguments) throws IOException {
        HostTuning.apply();
        if (arguments.length != 2 || !arguments[0].equals("--threads")) {
            throw new IllegalArgumentException("Expected --threads N, received: " + String.join(" ", arguments));
        }
        Engine.useThreads(Integer.parseInt(arguments[1]));
        Map<String, Supplier<Workload>> all = new LinkedHashMap<>();
        all.put("full", () -> workload(false));
        all.put("head", FineTuningContender::head);
        all.put("cached", FineTuningContender::cached);
        all.put("lora", () -> workload(true));
        new WorkloadServer(all).serveStandardStreams();
    }

    private static Workload workload(boolean lora) {
        return new FineTuningWorkload(
                lora ? Lora.adapt(EncoderModel.definition(), new LowRankAdapter(8, 16)) : EncoderModel.definition(),
                EncoderModel.input(),
                EncoderModel.batches(),
                model -> {
                    if (lora) {
                        Lora.freezeBase(model, Set.of("head.weight", "head.bias"));
                    }
                });
    }

    private static Workload head() {
        return new FineTuningWorkload(
                EncoderModel.definition(),
                EncoderModel.input(),
                EncoderModel.batches(),
                model -> model.freeze("encoder"));
    }

    private static Workload cached() {
        return new FineTuningWorkload(
                dense(EncoderModel.CLASSES), EncoderModel.cachedInput(), EncoderModel.cached(), model -> {});
    }
}
