package dev.tutti.keras;

import static dev.tutti.keras.FitOptions.options;
import static dev.tutti.nn.Layers.dense;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.data.Sample;
import dev.tutti.data.transform.Transform;
import dev.tutti.json.Json;
import dev.tutti.loss.Losses;
import dev.tutti.metric.Metrics;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizers;
import dev.tutti.train.History;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Path;
import java.util.Map;
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

    private static final float[] INPUTS = {0.5f, -1, 2, 1.5f, -0.25f, 3};
    private static final long[] CLASSES = {0, 1, 1, 0, 2, 1};

    /** The cross entropy of each row by the outputs, worked out by hand. */
    private static double[] losses(NdArray outputs) {
        double[] losses = new double[CLASSES.length];
        for (int row = 0; row < losses.length; row++) {
            double sum = 0;
            for (int i = 0; i < 3; i++) {
                sum += Math.exp(outputs.at(3 * row + i));
            }
            losses[row] = Math.log(sum) - outputs.at(3 * row + (int) CLASSES[row]);
        }
        return losses;
    }

    private static double weightedMean(double[] losses, double... weights) {
        double sum = 0;
        for (int i = 0; i < losses.length; i++) {
            sum += losses[i] * weights[i];
        }
        return sum / losses.length;
    }

    private static KerasModel smallModel() {
        KerasModel model = KerasModel.of(Sequential.of(dense(3)));
        model.compile(Optimizers.sgd(0.1), Losses.softmaxCrossEntropy(), Metrics.accuracy());
        return model;
    }

    @Test
    void theLossOfRowsIsWeightedByRowAndByClass() {
        NdArray x = NdArray.of(INPUTS, 6, 1);
        NdArray y = NdArray.of(CLASSES, 6);
        NdArray weights = NdArray.of(new float[] {1, 0.5f, 0, 2, 1, 3}, 6);
        Map<Integer, Double> classes = Map.of(1, 4.0, 2, 0.5);
        try (KerasModel model = smallModel()) {
            double[] each = losses(model.predict(x));
            var plain = model.evaluate(x, y);
            var weighted = model.evaluate(x, y, weights);
            assertThat(plain.loss()).isCloseTo(weightedMean(each, 1, 1, 1, 1, 1, 1), within(1e-6));
            assertThat(weighted.loss()).isCloseTo(weightedMean(each, 1, 0.5, 0, 2, 1, 3), within(1e-6));
            assertThat(weighted.get("accuracy")).isEqualTo(plain.get("accuracy"));
            // one step on all rows: its loss is that of the parameters before it
            History byRow = model.fit(x, y, options().batchSize(6).sampleWeight(weights));
            assertThat(byRow.last().training().loss()).isCloseTo(weighted.loss(), within(1e-6));
            each = losses(model.predict(x));
            History byClass = model.fit(x, y, options().batchSize(6).classWeight(classes));
            assertThat(byClass.last().training().loss())
                    .isCloseTo(weightedMean(each, 1, 4, 4, 1, 0.5, 4), within(1e-6));
            each = losses(model.predict(x));
            History byBoth = model.fit(
                    x,
                    y,
                    options()
                            .batchSize(4)
                            .unshuffled()
                            .sampleWeight(weights)
                            .classWeight(classes)
                            .validationSplit(1.0 / 3));
            double[] first = java.util.Arrays.copyOf(each, 4);
            assertThat(byBoth.last().training().loss()).isCloseTo(weightedMean(first, 1, 2, 0, 2), within(1e-6));
            double[] after = losses(model.predict(x));
            assertThat(byBoth.last().measured().loss())
                    .as("classes do not weigh what is measured")
                    .isCloseTo((after[4] + 3 * after[5]) / 2, within(1e-6));
            History measured =
                    model.fit(x, y, options().batchSize(6).classWeight(classes).validationData(Dataset.of(x, y)));
            assertThat(measured.last().measured().loss())
                    .isCloseTo(weightedMean(losses(model.predict(x)), 1, 1, 1, 1, 1, 1), within(1e-6));
            model.save(folder.resolve("weighted"));
            try (SavedModel saved = SavedModel.load(folder.resolve("weighted"))) {
                assertThat(saved.trainer().evaluate(Dataset.of(x, y)).loss())
                        .isCloseTo(model.evaluate(x, y).loss(), within(1e-6));
                assertThat(saved.made().epochs()).isEqualTo(1);
            }
        }
    }

    @Test
    void aRowOfWeightTwoCountsLikeTwoRows() {
        NdArray x = NdArray.of(INPUTS, 6, 1);
        NdArray y = NdArray.of(CLASSES, 6);
        NdArray twice = NdArray.of(new float[] {0.5f, -1, 2, 1.5f, -0.25f, 3, 3, 3}, 8, 1);
        NdArray twiceLabels = NdArray.of(new long[] {0, 1, 1, 0, 2, 1, 1, 1}, 8);
        try (KerasModel one = smallModel();
                KerasModel other = KerasModel.of(Sequential.of(dense(3)))) {
            other.compile(Optimizers.sgd(0.1 * 8 / 6), Losses.softmaxCrossEntropy());
            one.fit(x, y, options().batchSize(6).sampleWeight(NdArray.of(new float[] {1, 1, 1, 1, 1, 3}, 6)));
            other.fit(twice, twiceLabels, options().batchSize(8));
            assertThat(one.predict(x).floats()).containsExactly(other.predict(x).floats(), within(1e-6f));
        }
    }

    @Test
    void oneNumberForEachClassTellsTheClassToo() {
        NdArray hot = NdArray.of(new float[] {0, 1, 0}, 3);
        NdArray labelled = RowWeights.of(Map.of(1, 4.0))
                .apply(Sample.of(NdArray.of(new float[] {1}, 1), hot))
                .labels()
                .get(1);
        assertThat(labelled.at(0)).isEqualTo(4);
        String written = Json.write(RowWeights.of(Map.of(1, 4.0)));
        assertThat(Json.read(written, Transform.class, "weights")
                        .apply(Sample.of(hot, hot))
                        .labels()
                        .get(1)
                        .at(0))
                .as("members of other processes weigh alike")
                .isEqualTo(4);
    }

    @Test
    void weightsThatDoNotFitAreRefused() {
        NdArray x = NdArray.of(INPUTS, 6, 1);
        NdArray y = NdArray.of(CLASSES, 6);
        NdArray five = NdArray.of(new float[] {1, 1, 1, 1, 1}, 5);
        try (KerasModel model = smallModel()) {
            assertThatThrownBy(() -> model.fit(x, y, options().sampleWeight(five)))
                    .isInstanceOf(KerasException.class)
                    .hasMessageContaining("for each of the 6 rows")
                    .hasMessageContaining("[5]");
            assertThatThrownBy(() -> model.evaluate(x, y, five)).isInstanceOf(KerasException.class);
            assertThatThrownBy(() -> model.fit(Dataset.of(x, y), options().sampleWeight(five)))
                    .hasMessageContaining("fit(x, y, options)");
            assertThatThrownBy(() -> model.fit(x, y, options().classWeight(Map.of(1, -1.0))))
                    .hasMessageContaining("classWeight: expected")
                    .hasMessageContaining("{1=-1.0}");
        }
    }
}
