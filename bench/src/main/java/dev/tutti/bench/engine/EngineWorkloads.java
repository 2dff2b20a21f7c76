package dev.tutti.bench.engine;

import dev.tutti.bench.contender.Workload;
import dev.tutti.nn.ComputePrecision;
import dev.tutti.tensor.Engine;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Our side of the engine benchmark, by name: {@code mlp}, {@code cnn}, {@code lstm}, {@code transformer}, {@code tiny}
 * and {@code feed}.
 *
 * <p>Each {@link EngineModel} trains on eight different random batches in memory taken in turn. {@code feed} takes shuffled
 * batches of 128 from MNIST as training does, and drops them. {@code mlp-int8} and the like answer such batches.
 */
final class EngineWorkloads {
    private EngineWorkloads() {}

    /** All of them, each built only when it is asked for, with so many compute threads. */
    static Map<String, Supplier<Workload>> all(int threads, ComputePrecision precision) {
        Map<String, Supplier<Workload>> all = new LinkedHashMap<>();
        all.put("mlp", () -> training(threads, EngineModel.mlp(), precision));
        all.put("cnn", () -> training(threads, EngineModel.cnn(), precision));
        all.put("lstm", () -> training(threads, EngineModel.recurrent(), precision));
        all.put("transformer", () -> training(threads, EngineModel.transformer(), precision));
        all.put("tiny", () -> training(threads, EngineModel.tiny(), precision));
        all.put("feed", FeedWorkload::new);
        for (AnswerWorkload.Way way : AnswerWorkload.Way.values()) {
            all.put("mlp-" + way, () -> answers(threads, EngineModel.mlp(), way));
            all.put("transformer-" + way, () -> answers(threads, EngineModel.transformer(), way));
        }
        return all;
    }

    private static Workload training(int threads, EngineModel model, ComputePrecision precision) {
        Engine.useThreads(threads);
        var batches = RandomBatches.of(model.input(), EngineModel.VOCABULARY, EngineModel.CLASSES, model.batch());
        return new TrainingWorkload(model.definition(), model.input(), EngineModel.RECIPE, batches, precision);
    }

    private static Workload answers(int threads, EngineModel model, AnswerWorkload.Way way) {
        Engine.useThreads(threads);
        var batches = RandomBatches.of(model.input(), EngineModel.VOCABULARY, EngineModel.CLASSES, model.batch());
        return new AnswerWorkload(model.definition(), model.input(), batches, way);
    }
}
