package dev.tutti.keras;

import static dev.tutti.keras.FitOptions.options;
import static dev.tutti.nn.Layers.dense;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.loss.Losses;
import dev.tutti.metric.Metrics;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizers;
import dev.tutti.train.History;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keras' verbs on a small problem. */
class KerasModelTest {
    @TempDir
    Path folder;

    @Test
    void itLearnsIsMeasuredAndAnswers() {
        Random random = new Random(1);
        float[] x = new float[800];
        long[] y = new long[400];
        for (int i = 0; i < 400; i++) {
            x[2 * i] = random.nextFloat() * 2 - 1;
            x[2 * i + 1] = random.nextFloat() * 2 - 1;
            y[i] = x[2 * i] * x[2 * i + 1] > 0 ? 1 : 0;
        }
        NdArray features = NdArray.of(x, 400, 2);
        NdArray labels = NdArray.of(y, 400);
        try (KerasModel model = KerasModel.of(Sequential.of(dense(32).relu(), dense(2)))) {
            assertThatThrownBy(() -> model.predict(features)).hasMessageContaining("call compile");
            model.compile(Optimizers.adam(0.01), Losses.softmaxCrossEntropy(), Metrics.accuracy());
            History history = model.fit(
                    features, labels, options().batchSize(20).epochs(30).validationSplit(0.25));
            assertThat(history.epochs()).hasSize(30);
            assertThat(history.last().training().samples()).isEqualTo(300);
            assertThat(history.last().measured().samples()).isEqualTo(100);
            assertThat(history.last().measured().get("accuracy")).isGreaterThan(0.9);
            double before = model.evaluate(features, labels).loss();
            model.fit(features, labels, options().epochs(3));
            assertThat(model.evaluate(features, labels).loss()).isLessThan(before * 1.2);
            assertThat(model.predict(features).shape().toArray()).containsExactly(400, 2);
            assertThat(model.summary()).contains("dense");
            model.save(folder.resolve("m"));
            try (SavedModel saved = SavedModel.load(folder.resolve("m"))) {
                assertThat(saved.trainer().predict(features)).isEqualTo(model.predict(features));
            }
        }
        assertThatThrownBy(() -> options().validationSplit(1.5)).isInstanceOf(KerasException.class);
    }
}
