package dev.tutti.bench.ps;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.bench.contender.Workload;
import dev.tutti.bench.contender.WorkloadServer;
import dev.tutti.host.HostTuning;
import dev.tutti.tensor.Tensor;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * Pushes a vector to a server JVM and pulls it back: {@code ExchangeContender --backups 0}; with backups there is one server more for each.
 * And what a plain socket and a memory copy take for as many bytes.
 */
public final class ExchangeContender {
    private static final int LARGE = 64 << 20;
    private static final int MIDDLE = 4 << 20;

    private ExchangeContender() {}

    public static void main(String[] arguments) throws IOException {
        HostTuning.apply();
        if (arguments.length != 2 || !arguments[0].equals("--backups")) {
            throw new IllegalArgumentException("Expected --backups N, received: " + String.join(" ", arguments));
        }
        int backups = Integer.parseInt(arguments[1]);
        new WorkloadServer(Map.of(
                        "64MB", () -> new PushAndPull(LARGE, backups, true),
                        "push4MB", () -> new PushAndPull(MIDDLE, backups, false),
                        "socket64MB", () -> new SocketEcho(LARGE),
                        "copy64MB", () -> new TwoCopies(LARGE)))
                .serveStandardStreams();
    }

    /** One push, and one pull where it is wanted. */
    private static final class PushAndPull implements Workload {
        private final ServedVector served;
        private final Tensor gradients;
        private final Tensor values;
        private final boolean pulls;

        PushAndPull(int bytes, int backups, boolean pulls) {
            this.pulls = pulls;
            long length = bytes / Float.BYTES;
            served = new ServedVector(backups + 1, 1, backups, length, List.of());
            gradients = Tensor.full(Shape.of(length), 1e-6, DType.FLOAT32).retain();
            values = Tensor.zeros(Shape.of(length), DType.FLOAT32).retain();
        }

        @Override
        public void step() {
            if (pulls) {
                served.client.pushAndPull(gradients, 1e-6, values);
            } else {
                served.client.push(gradients, 1e-6);
            }
        }

        @Override
        public int batch() {
            return 1;
        }

        @Override
        public void close() {
            served.close();
            gradients.close();
            values.close();
        }
    }

    /** As many bytes there and back, copied within this process. */
    private static final class TwoCopies implements Workload {
        private final Tensor first;
        private final Tensor second;

        TwoCopies(int bytes) {
            first = Tensor.full(Shape.of(bytes / Float.BYTES), 1, DType.FLOAT32).retain();
            second =
                    Tensor.full(Shape.of(bytes / Float.BYTES), 2, DType.FLOAT32).retain();
        }

        @Override
        public void step() {
            second.copy_(first);
            first.copy_(second);
        }

        @Override
        public int batch() {
            return 1;
        }

        @Override
        public void close() {
            first.close();
            second.close();
        }
    }
}
