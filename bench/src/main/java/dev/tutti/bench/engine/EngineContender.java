package dev.tutti.bench.engine;

import dev.tutti.bench.contender.WorkloadServer;
import dev.tutti.host.HostTuning;
import java.io.IOException;

/** The process that runs our engine workloads: {@code EngineContender --threads 2}. */
public final class EngineContender {
    private EngineContender() {}

    public static void main(String[] arguments) throws IOException {
        HostTuning.apply();
        if (arguments.length != 2 || !arguments[0].equals("--threads")) {
            throw new IllegalArgumentException("Expected --threads N, received: " + String.join(" ", arguments));
        }
        int threads = Integer.parseInt(arguments[1]);
        new WorkloadServer(EngineWorkloads.all(threads)).serveStandardStreams();
    }
}
