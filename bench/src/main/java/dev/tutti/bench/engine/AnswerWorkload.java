package dev.tutti.bench.engine;

import dev.tutti.bench.contender.Workload;
import dev.tutti.data.Batch;
import dev.tutti.nn.Calibration;
import dev.tutti.nn.ComputePrecision;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Model;
import java.util.List;
import java.util.Locale;

/** Answers of a model for batches of rows, in one of three formats. */
final class AnswerWorkload implements Workload {
    /** What products are computed in. */
    enum Way {
        FLOAT32,
        BF16,
        INT8;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Model model;
    private final List<Batch> batches;
    private long step;

    AnswerWorkload(Layer definition, Input input, List<Batch> batches, Way way) {
        this.batches = batches;
        Model.Options options = Model.Options.DEFAULT.seed(7).forInference();
        model = switch (way) {
            case FLOAT32 -> Model.of(definition, options, List.of(input));
            case BF16 -> Model.of(definition, options.precision(ComputePrecision.BF16), List.of(input));
            case INT8 -> rounded(definition, input, batches.get(0), options);
        };
    }

    /** The same values, since the seed is the same. */
    private static Model rounded(Layer definition, Input input, Batch batch, Model.Options options) {
        try (Model full = Model.of(definition, options, List.of(input));
                Calibration watching = Calibration.of(full)) {
            full.predict(batch.features().get(0));
            return Model.of(definition, options.quantization(watching.quantization()), List.of(input));
        }
    }

    @Override
    public void step() {
        Batch batch = batches.get((int) (step++ % batches.size()));
        model.predict(batch.features().get(0));
    }

    @Override
    public int batch() {
        return batches.get(0).size();
    }

    @Override
    public void close() {
        model.close();
    }
}
