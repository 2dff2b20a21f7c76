package dev.tutti.train.quantize;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.nn.Layers.conv2d;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.train.Predictor;
import dev.tutti.train.Trainer;
import dev.tutti.train.checkpoint.SavedModel;
import dev.tutti.train.quantize.Quantizer.Report;
import dev.tutti.train.quantize.Quantizer.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class QuantizerTest {
    private static final int ROWS = 400;

    @TempDir
    static Path folder;

    private static Dataset data;
    private static NdArray images;
    private static Path trained;

    /** Images whose brighter half says the class. */
    @BeforeAll
    static void train() {
        Random random = new Random(4);
        float[] pixels = new float[ROWS * 64];
        long[] labels = new long[ROWS];
        for (int row = 0; row < ROWS; row++) {
            labels[row] = row % 2;
            for (int i = 0; i < 64; i++) {
                pixels[row * 64 + i] = random.nextFloat() + (i / 32 == labels[row] ? 0.4f : 0);
            }
        }
        images = NdArray.of(pixels, ROWS, 1, 8, 8);
        data = Dataset.of(images, NdArray.of(labels, ROWS)).batch(50);
        trained = folder.resolve("trained");
        try (Trainer trainer = Trainer.of(
                        Sequential.of(conv2d(4, 3).relu(), flatten(), dense(32).relu(), dense(2)),
                        adam(0.01),
                        softmaxCrossEntropy())
                .metrics(accuracy())) {
            trainer.fit(data, epochs(5).quiet());
            trainer.save(trained);
        }
    }

    @ParameterizedTest
    @EnumSource
    void theSmallerModelAnswersAsTheReportSays(Target target) {
        Path output = folder.resolve(target.toString());
        Report report = Quantizer.of(trained).calibratedBy(data, 100).write(output, target, data, 0.05);
        assertThat(report.before().evaluation().metrics().get("accuracy")).isGreaterThan(0.9);
        assertThat(report.lost()).isLessThanOrEqualTo(0.05);
        assertThat((double) report.before().bytes() / report.after().bytes())
                .as("smaller, but for names and biases")
                .isGreaterThan(target == Target.INT8 ? 2.0 : 1.5);
        assertThat(report.after().bytes()).isEqualTo(SavedModel.weightBytes(output));
        try (Predictor predictor = Predictor.load(output);
                Predictor original = Predictor.load(trained)) {
            assertThat(predictor
                            .evaluate(data, softmaxCrossEntropy(), accuracy())
                            .loss())
                    .isEqualTo(report.after().evaluation().loss());
            assertThat(predictor.predict(images).floats())
                    .as("rounded")
                    .isNotEqualTo(original.predict(images).floats());
        }
        assertThat(report.layers()).hasSize(target == Target.INT8 ? 3 : 0);
    }

    @Test
    void aRoundedModelThatIsSavedAgainHasTheSameBytes() throws Exception {
        Path first = folder.resolve("first");
        Quantizer.of(trained).calibratedBy(data, 100).write(first, Target.INT8, data, 1);
        Path second = folder.resolve("second");
        try (SavedModel saved = SavedModel.load(first, Model.Options.DEFAULT.forInference())) {
            SavedModel.write(second, saved.model(), saved.features(), saved.metrics(), saved.made());
        }
        assertThat(second.resolve("weights.safetensors")).hasSameBinaryContentAs(first.resolve("weights.safetensors"));
        assertThat(second.resolve("quantization.json")).hasSameTextualContentAs(first.resolve("quantization.json"));
    }

    @Test
    void aRoundedModelLearnsOnInFloat32() {
        Path output = folder.resolve("to-train");
        Quantizer.of(trained).calibratedBy(data, 100).write(output, Target.INT8, data, 1);
        try (SavedModel saved = SavedModel.load(output);
                Trainer trainer = saved.trainer()) {
            assertThat(saved.model().options().quantization().isNone()).isTrue();
            assertThat(trainer.fit(data, epochs(1).quiet())
                            .last()
                            .training()
                            .metrics()
                            .get("accuracy"))
                    .isGreaterThan(0.9);
        }
    }

    @Test
    void aModelThatLosesTooMuchIsNotWritten() {
        Path output = folder.resolve("refused");
        assertThatThrownBy(() -> Quantizer.of(trained).calibratedBy(data, 100).write(output, Target.INT8, data, -1))
                .isInstanceOf(QualityLostException.class)
                .hasMessageContainingAll("as int8 loses", "accuracy", "nothing was written");
        assertThat(Files.exists(output)).isFalse();
    }
}
