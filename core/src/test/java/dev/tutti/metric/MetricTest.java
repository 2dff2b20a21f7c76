package dev.tutti.metric;

import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.metric.Metrics.auc;
import static dev.tutti.metric.Metrics.confusionMatrix;
import static dev.tutti.metric.Metrics.f1;
import static dev.tutti.metric.Metrics.mae;
import static dev.tutti.metric.Metrics.precision;
import static dev.tutti.metric.Metrics.r2;
import static dev.tutti.metric.Metrics.recall;
import static dev.tutti.metric.Metrics.rmse;
import static dev.tutti.metric.Metrics.topK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.json.ConfigException;
import dev.tutti.json.Json;
import java.util.List;
import org.junit.jupiter.api.Test;

class MetricTest {
    private static final float NAN = Float.NaN;

    @Test
    void namesTellTheSettingsThatChangeTheMeaning() {
        assertThat(List.of(
                        topK(3).name(),
                        f1().name(),
                        f1().macro().name(),
                        precision().micro().name(),
                        recall().binary().name()))
                .containsExactly("top3", "f1", "macroF1", "microPrecision", "recall");
        assertThat(mae().higherIsBetter()).isFalse();
        assertThat(rmse().higherIsBetter()).isFalse();
        assertThat(r2().higherIsBetter()).isTrue();
    }

    @Test
    void jsonHoldsOnlyWhatDiffersFromTheDefaults() {
        assertThat(Json.writeYaml(f1())).isEqualTo("type: f1\n");
        assertThat(Json.writeYaml(f1().macro())).isEqualTo("type: f1\naveraging: macro\n");
        assertThat(Json.readYaml("accuracy", Metric.class, "job")).isEqualTo(accuracy());
        assertThat(Json.readYaml("{type: topK, k: 3}", Metric.class, "job")).isEqualTo(topK(3));
    }

    @Test
    void misspeltMetricsAndAveragingsAreExplained() {
        assertThatThrownBy(() -> Json.readYaml("acuracy", Metric.class, "job.yaml"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("unknown metric 'acuracy': did you mean 'accuracy'?");
        assertThatThrownBy(() -> Json.readYaml("{type: f1, averaging: makro}", Metric.class, "job.yaml"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("did you mean 'macro'?");
        assertThatThrownBy(() -> Json.readYaml("{type: topK, k: 0}", Metric.class, "job.yaml")
                        .newState())
                .isInstanceOf(MetricException.class)
                .hasMessage("topK: k is 1 or more: received 0");
    }

    @Test
    void aRowWithANanIsWrong() {
        NdArray scores = NdArray.of(new float[] {NAN, 1, 2, NAN, 0, 1}, 3, 2);
        NdArray targets = NdArray.of(new long[] {1, 0, 1}, 3);
        assertThat(value(accuracy(), scores, targets)).isEqualTo(1 / 3.0);
        assertThat(value(topK(2), scores, targets)).isEqualTo(1 / 3.0);
        assertThat(value(recall(), scores, targets)).isEqualTo(0.5);
        assertThat(value(accuracy(), NdArray.of(new float[] {NAN, 1}, 2), NdArray.of(new long[] {0, 1}, 2)))
                .isEqualTo(0.5);
        assertThat(value(auc(), NdArray.of(new float[] {NAN, 1, 0}, 3), NdArray.of(new long[] {1, 1, 0}, 3)))
                .isEqualTo(0.5);
        ConfusionMatrixState matrix = confusionMatrix().newState();
        matrix.update(scores, targets);
        assertThat(matrix.value()).isEqualTo(1 / 3.0);
        assertThat(matrix.undecided()).isEqualTo(2);
        assertThat(value(mae(), NdArray.of(new float[] {NAN, 1}, 2), NdArray.of(new float[] {0, 1}, 2)))
                .isNaN();
    }

    @Test
    void aClassThatDoesNotExistIsNamedWithItsRow() {
        NdArray scores = NdArray.of(new float[6], 2, 3);
        assertThatThrownBy(() -> value(accuracy(), scores, NdArray.of(new long[] {2, 3}, 2)))
                .isInstanceOf(MetricException.class)
                .hasMessage("accuracy: the target of row 1 is class 3, but there are 3 classes, 0 to 2");
        assertThatThrownBy(() -> value(f1(), scores, NdArray.of(new int[] {-1, 0}, 2)))
                .hasMessage("f1: the target of row 0 is class -1, but there are 3 classes, 0 to 2");
        assertThatThrownBy(() -> value(accuracy(), scores, NdArray.of(new float[] {0, 0.5f}, 2)))
                .hasMessage("accuracy: the target of row 1 is 0.5: class ids are whole numbers");
        assertThatThrownBy(() -> value(accuracy(), scores, NdArray.of(new float[] {0, 1, 0, 1, 1, 0}, 2, 3)))
                .hasMessage("accuracy: a one-hot target has one greatest number: row 1 is [1.0, 1.0, 0.0]");
        assertThatThrownBy(() -> value(accuracy(), NdArray.of(new long[] {1}, 1), NdArray.of(new long[] {1}, 1)))
                .hasMessage("accuracy: predictions are logits or probabilities of a floating type: received int64[1]");
    }

    @Test
    void metricsForTwoClassesRefuseMore() {
        NdArray scores = NdArray.of(new float[6], 2, 3);
        NdArray targets = NdArray.of(new long[2], 2);
        assertThatThrownBy(() -> value(auc(), scores, targets))
                .hasMessage("auc: is for two classes: received 3. Use accuracy() or f1() for more");
        assertThatThrownBy(() -> value(precision().binary(), scores, targets))
                .hasMessage("precision: binary averaging is for two classes: received 3. Use macro() or micro()");
        assertThatThrownBy(() -> value(topK(4), scores, targets))
                .hasMessage("top4: predictions need scores for at least 4 classes: received shape [2, 3]");
    }

    @Test
    void theNumberOfClassesMayNotChange() {
        for (Metric metric : List.of(f1(), confusionMatrix())) {
            MetricState state = metric.newState();
            state.update(NdArray.of(new float[6], 2, 3), NdArray.of(new long[2], 2));
            assertThatThrownBy(() -> state.update(NdArray.of(new float[8], 2, 4), NdArray.of(new long[2], 2)))
                    .hasMessage(metric.name() + ": all batches have the same classes: received 4 after 3");
        }
    }

    @Test
    void theTableShowsWhatWasTakenForWhat() {
        ConfusionMatrixState state = confusionMatrix().newState();
        state.update(NdArray.of(new float[] {1, 0, 0, 1, 0, 1, NAN, 0}, 4, 2), NdArray.of(new long[] {0, 0, 1, 1}, 4));
        assertThat(state.matrix()).isEqualTo(NdArray.of(new long[] {1, 1, 0, 1}, 2, 2));
        assertThat(state.table(List.of("cat", "dog"))).isEqualTo("""
            actual \\ predicted  cat  dog  undecided
            cat                   1    1          0
            dog                   0    1          1
            """);
        assertThatThrownBy(() -> state.table(List.of("cat"))).hasMessage("there are 2 classes: received 1 names");
    }

    @Test
    void r2OfEqualTargetsIsAllOrNothing() {
        NdArray targets = NdArray.of(new float[] {2, 2}, 2);
        assertThat(value(r2(), targets, targets)).isEqualTo(1);
        assertThat(value(r2(), NdArray.of(new float[] {2, 3}, 2), targets)).isEqualTo(0);
    }

    @Test
    void aMeanWeighsBatchesBySize() {
        Mean mean = new Mean();
        assertThat(mean.value()).isNaN();
        mean.add(2.0, 3);
        mean.add(6.0);
        Mean other = new Mean();
        other.add(0.5, 4);
        mean.add(Mean.fromLongs(other.toLongs(), 0));
        assertThat(mean.value()).isEqualTo(14.0 / 8);
        assertThat(mean.count()).isEqualTo(8);
    }

    private static double value(Metric metric, NdArray predictions, NdArray targets) {
        MetricState state = metric.newState();
        state.update(predictions, targets);
        return state.value();
    }
}
