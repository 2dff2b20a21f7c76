package dev.tutti.bench.engine;

import dev.tutti.bench.contender.WorkloadServer;
import dev.tutti.host.HostTuning;
import dev.tutti.nn.ComputePrecision;
import java.io.IOException;
import java.util.List;

/** The process that runs our engine workloads: {@code EngineContender --threads 2 [--precision bf16]}. */
public final class EngineContender {
    private EngineContender() {}

    public static void main(String[] arguments) throws IOException {
        HostTuning.apply();
        List<String> said = List.of(arguments);
        boolean precise = said.size() == 4 && said.get(2).equals("--precision");
        if (said.size() < 2 || !said.get(0).equals("--threads") || (said.size() > 2 && !precise)) {
            throw new IllegalArgumentException(
                    "Expected --threads N [--precision FORMAT], received: " + String.join(" ", arguments));
        }
        int threads = Integer.parseInt(said.get(1));
        ComputePrecision precision = precise ? ComputePrecision.named(said.get(3)) : ComputePrecision.FLOAT32;
        new WorkloadServer(EngineWorkloads.all(threads, precision)).serveStandardStreams();
    }
}
