package dev.tutti.spark.ml;

import dev.tutti.train.Predictor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The models that an executor has loaded: each once for as many tasks as ask it at the same time. Those that were not asked for longest
 * are closed.
 */
final class PredictorPool {
    private static final int MOST_MODELS = 4;
    private static final Map<String, Deque<Predictor>> IDLE = new LinkedHashMap<>(16, 0.75f, true);

    private PredictorPool() {}

    /** A predictor that no other task uses. */
    static Predictor take(ModelFiles model) {
        synchronized (IDLE) {
            Predictor idle =
                    IDLE.computeIfAbsent(model.id(), id -> new ArrayDeque<>()).pollFirst();
            if (idle != null) {
                return idle;
            }
        }
        return model.predictor();
    }

    static void giveBack(ModelFiles model, Predictor predictor) {
        synchronized (IDLE) {
            IDLE.computeIfAbsent(model.id(), id -> new ArrayDeque<>()).addFirst(predictor);
            while (IDLE.size() > MOST_MODELS) {
                var eldest = IDLE.entrySet().iterator();
                eldest.next().getValue().forEach(Predictor::close);
                eldest.remove();
            }
        }
    }
}
