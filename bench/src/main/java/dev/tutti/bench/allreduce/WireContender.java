package dev.tutti.bench.allreduce;

import dev.tutti.bench.contender.WorkloadServer;
import dev.tutti.host.HostTuning;
import java.io.IOException;
import java.util.Map;

/**
 * Sums vectors between JVMs of this machine, this one among them: {@code WireContender --wire shared --members 2}; and copies one
 * within this JVM.
 */
public final class WireContender {
    static final int LARGE = 64 << 20;
    static final int SMALL = 4 << 10;

    private WireContender() {}

    public static void main(String[] arguments) throws IOException {
        HostTuning.apply();
        Options options = Options.parse(arguments);
        new WorkloadServer(Map.of(
                        "64MB", () -> new SumWorkload(options.wire(), options.members(), LARGE),
                        "4KB", () -> new SumWorkload(options.wire(), options.members(), SMALL),
                        "copy64MB", () -> new CopyWorkload(LARGE)))
                .serveStandardStreams();
    }

    /** The arguments that this contender and that of the traffic have. */
    record Options(WireKind wire, int members) {
        static Options parse(String... arguments) {
            if (arguments.length != 4 || !arguments[0].equals("--wire") || !arguments[2].equals("--members")) {
                throw new IllegalArgumentException(
                        "Expected --wire WIRE --members N, received: " + String.join(" ", arguments));
            }
            return new Options(WireKind.parse(arguments[1]), Integer.parseInt(arguments[3]));
        }
    }
}
