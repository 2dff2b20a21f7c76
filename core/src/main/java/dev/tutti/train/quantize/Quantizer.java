package dev.tutti.train.quantize;

import dev.tutti.array.DType;
import dev.tutti.data.Dataset;
import dev.tutti.metric.Metric;
import dev.tutti.nn.Calibration;
import dev.tutti.nn.Model;
import dev.tutti.nn.Quantization;
import dev.tutti.train.Evaluation;
import dev.tutti.train.Predictor;
import dev.tutti.train.checkpoint.SavedModel;
import dev.tutti.train.checkpoint.WeightFormat;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Makes a smaller model of a saved one, compares both, and writes it unless it answers worse than allowed.
 *
 * <p>Order of calls: {@link #of}, {@link #calibratedBy} where the model has convolutions, {@link #write}.
 */
public final class Quantizer {
    private static final int ROUNDS = 5;
    private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    /** What weights become. */
    public enum Target {
        /** Dense, attention and recurrent layers and convolutions answer in eight-bit integers. */
        INT8,
        /** Half the size in the file; float32 once it is loaded. */
        BF16,
        /** Half the size in the file, with more digits and a smaller range than {@link #BF16}. */
        FP16;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * What is known of one of both models.
     *
     * @param bytes of the weights in the file
     */
    public record Measure(Evaluation evaluation, long bytes, double rowsPerSecond) {}

    /**
     * Both models side by side.
     *
     * @param layers those that answer in eight bits
     * @param lost how much worse the new one is: points of the first metric, or where there is none the relative rise of the loss; negative
     *     where it is better
     */
    public record Report(Measure before, Measure after, List<String> layers, String measuredBy, double lost) {}

    private final Path folder;
    private Dataset calibration;
    private long calibrationRows;

    private Quantizer(Path folder) {
        this.folder = folder;
    }

    /** @param model a saved model */
    public static Quantizer of(Path model) {
        return new Quantizer(model);
    }

    /** Rows such as the model will be asked, from which the ranges of activations are found; best those it was trained on. */
    public Quantizer calibratedBy(Dataset data, long rows) {
        calibration = data;
        calibrationRows = rows;
        return this;
    }

    /**
     * Writes the new model as a folder.
     *
     * @param test what both are judged by
     * @param mostLost the largest {@link Report#lost} that is accepted
     * @throws QualityLostException if more is lost; nothing is written
     */
    public Report write(Path output, Target target, Dataset test, double mostLost) {
        try (SavedModel original = SavedModel.load(folder, Model.Options.DEFAULT.forInference());
                TrialFolder trial = TrialFolder.create()) {
            WeightFormat format = format(original, target, test);
            Path tried = trial.path().resolve("model");
            write(original, tried, format, original.metrics());
            try (SavedModel smaller = SavedModel.load(tried, Model.Options.DEFAULT.forInference())) {
                Report report = compare(original, smaller, tried, format, test);
                if (report.lost > mostLost) {
                    throw new QualityLostException(String.format(
                            Locale.ROOT,
                            "%s as %s loses %.4f of %s (%s), at most %.4f is allowed: nothing was written. Calibrate with"
                                    + " more rows, choose bf16, or allow more",
                            folder,
                            target,
                            report.lost,
                            report.measuredBy,
                            values(report),
                            mostLost));
                }
                write(original, output, format, report.after.evaluation);
                return report;
            }
        }
    }

    private static String values(Report report) {
        return report.before.evaluation.metrics().containsKey(report.measuredBy)
                ? report.before.evaluation.metrics().get(report.measuredBy) + " before, "
                        + report.after.evaluation.metrics().get(report.measuredBy) + " after"
                : report.before.evaluation.loss() + " before, " + report.after.evaluation.loss() + " after";
    }

    private static void write(SavedModel model, Path to, WeightFormat format, Evaluation evaluation) {
        SavedModel.write(to, model.model(), model.features(), evaluation, model.made(), format);
    }

    private WeightFormat format(SavedModel original, Target target, Dataset test) {
        return switch (target) {
            case INT8 ->
                new WeightFormat(DType.FLOAT32, calibrated(original, calibration == null ? test : calibration));
            case BF16 -> WeightFormat.of(DType.BFLOAT16);
            case FP16 -> WeightFormat.of(DType.FLOAT16);
        };
    }

    private Quantization calibrated(SavedModel original, Dataset data) {
        try (Calibration watching = Calibration.of(original.model())) {
            original.predictor().predict(calibrationRows > 0 ? data.take(calibrationRows) : data, outputs -> {});
            return watching.quantization();
        }
    }

    private Report compare(SavedModel original, SavedModel smaller, Path tried, WeightFormat format, Dataset test) {
        Metric[] metrics = original.made().recipe().metrics().toArray(Metric[]::new);
        Evaluation before = evaluate(original, test, metrics);
        Evaluation after = evaluate(smaller, test, metrics);
        double[][] pace = pace(original.predictor(), smaller.predictor(), test);
        Optional<Metric> first = Arrays.stream(metrics).findFirst();
        double lost = first.map(metric -> lost(metric, before, after))
                .orElse((after.loss() - before.loss()) / Math.max(Math.abs(before.loss()), 1e-12));
        return new Report(
                new Measure(before, SavedModel.weightBytes(folder), median(pace[0])),
                new Measure(after, SavedModel.weightBytes(tried), median(pace[1])),
                format.quantization().layers().keySet().stream().sorted().toList(),
                first.map(Metric::name).orElse("loss"),
                Double.isNaN(lost) ? Double.POSITIVE_INFINITY : lost);
    }

    private static Evaluation evaluate(SavedModel model, Dataset test, Metric... metrics) {
        return model.predictor().evaluate(test, model.made().recipe().loss(), metrics);
    }

    private static double lost(Metric metric, Evaluation before, Evaluation after) {
        double difference =
                before.metrics().get(metric.name()) - after.metrics().get(metric.name());
        return metric.higherIsBetter() ? difference : -difference;
    }

    /** Rows per second of each, in turn. */
    private static double[][] pace(Predictor one, Predictor other, Dataset data) {
        double[][] pace = new double[2][ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            pace[0][round] = pace(one, data);
            pace[1][round] = pace(other, data);
        }
        return pace;
    }

    private static double pace(Predictor predictor, Dataset data) {
        long[] rows = new long[1];
        long begin = System.nanoTime();
        do {
            predictor.predict(data, outputs -> rows[0] += outputs.shape().dim(0));
        } while (System.nanoTime() - begin < SHORTEST_NANOS);
        return rows[0] * 1e9 / (System.nanoTime() - begin);
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
