package dev.tutti.bench.allreduce;

import dev.tutti.bench.contender.WorkloadServer;
import dev.tutti.bench.engine.EngineModel;
import dev.tutti.host.HostTuning;
import java.io.IOException;
import java.util.Map;

/** The process that trains on one or more workers: {@code FitContender --on processes:2}. */
public final class FitContender {
    private FitContender() {}

    public static void main(String[] arguments) throws IOException {
        HostTuning.apply();
        if (arguments.length != 2 || !arguments[0].equals("--on")) {
            throw new IllegalArgumentException("Expected --on PLACE, received: " + String.join(" ", arguments));
        }
        BenchSetup setting = BenchSetup.parse(arguments[1]);
        new WorkloadServer(Map.of(
                        "mlp", () -> new FitWorkload(EngineModel.mlp(), setting),
                        "cnn", () -> new FitWorkload(EngineModel.cnn(), setting),
                        "deep", () -> new FitWorkload(EngineModel.deep(), setting),
                        "wide", () -> new FitWorkload(EngineModel.wide(), setting),
                        "blocks", () -> new FitWorkload(EngineModel.blocks(), setting)))
                .serveStandardStreams();
    }
}
