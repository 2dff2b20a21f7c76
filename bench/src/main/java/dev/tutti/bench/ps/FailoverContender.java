package dev.tutti.bench.ps;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.host.HostTuning;
import dev.tutti.json.Json;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.Map;

/** Kills the primary of a shard with {@code kill -9} and measures how long it takes until the next push is acknowledged. */
public final class FailoverContender {
    public static final String SECONDS = "failover_seconds";
    private static final int LENGTH = 1 << 20;
    private static final int PUSHES = 50;

    private FailoverContender() {}

    public static void main(String[] arguments) {
        HostTuning.apply();
        try (Scope scope = Scope.open();
                ServedVector served = new ServedVector(2, 1, 1, LENGTH, List.of())) {
            Tensor ones = Tensor.full(Shape.of(LENGTH), -1, DType.FLOAT32);
            Tensor values = Tensor.zeros(Shape.of(LENGTH), DType.FLOAT32);
            for (int i = 0; i < PUSHES; i++) {
                served.client.push(ones, 1);
            }
            String primary = served.client.primary(0).orElseThrow();
            long began = System.nanoTime();
            served.cluster.process(primary).orElseThrow().destroyForcibly();
            served.client.push(ones, 1);
            double seconds = (System.nanoTime() - began) / 1e9;
            served.client.pull(values);
            double sum = values.sum().item() / LENGTH;
            if (sum != PUSHES + 1) {
                throw new IllegalStateException("expected " + (PUSHES + 1) + " pushes, received " + sum);
            }
            System.out.println(Json.write(Map.of(SECONDS, seconds)));
        }
    }
}
