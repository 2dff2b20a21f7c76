package dev.tutti.train;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.sgd;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.nn.ComputePrecision;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizer;
import dev.tutti.train.replica.Strategy;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What members of a job must share changes the fingerprint, under its name; what may differ does not. */
class JobFingerprintTest {
    private static final Layer MODEL = Sequential.of(dense(4).tanh(), dense(2));

    private static Dataset rows(float last) {
        float[] features = new float[40];
        features[39] = last;
        return Dataset.of(NdArray.of(features, 20, 2), NdArray.of(new long[20], 20));
    }

    private static Map<String, String> of(Layer model, Optimizer optimizer, long seed, Dataset data, int epochs) {
        TrainingConfig recipe = new TrainingConfig(optimizer, softmaxCrossEntropy(), List.of(accuracy()), 0, seed);
        return JobFingerprint.of(
                new WorkerTask(model, recipe, data, Fit.epochs(epochs).with(Strategy.local())));
    }

    private static Map<String, String> with(Dataset data) {
        return of(MODEL, sgd(0.1), 1, data, 3);
    }

    private static TreeSet<String> changed(Map<String, String> one, Map<String, String> other) {
        TreeSet<String> names = new TreeSet<>(one.keySet());
        names.addAll(other.keySet());
        names.removeIf(name -> one.getOrDefault(name, "").equals(other.getOrDefault(name, "")));
        return names;
    }

    @Test
    void thePrecisionIsShared() {
        TrainingConfig float32 = TrainingConfig.of(sgd(0.1), softmaxCrossEntropy());
        Fit fit = Fit.epochs(1).with(Strategy.local());
        Dataset data = rows(0).batch(4);
        assertThat(changed(
                        JobFingerprint.of(new WorkerTask(MODEL, float32, data, fit)),
                        JobFingerprint.of(new WorkerTask(MODEL, float32.precision(ComputePrecision.BF16), data, fit))))
                .containsExactly("precision");
    }

    @Test
    void whatIsSharedIsNamedWhereItDiffers() {
        Dataset data = rows(0).shuffle(7).batch(4);
        Map<String, String> first = with(data);
        assertThat(with(data)).isEqualTo(first);
        assertThat(changed(first, of(MODEL, sgd(0.2), 1, data, 3)))
                .singleElement()
                .asString()
                .startsWith("optimizer.");
        assertThat(changed(first, of(MODEL, sgd(0.1), 2, data, 3))).containsExactly("seed");
        assertThat(changed(first, of(MODEL, sgd(0.1), 1, data, 4))).containsExactly("epochs");
        assertThat(changed(first, of(Sequential.of(dense(4).relu(), dense(2)), sgd(0.1), 1, data, 3)))
                .singleElement()
                .asString()
                .startsWith("model.layers[0].");
        assertThat(changed(first, with(data.batch(5)))).containsExactly("data.batch");
        assertThat(changed(first, with(data.shuffle(8)))).containsExactly("data.stages[0].seed");
        assertThat(changed(first, with(rows(1).shuffle(7).batch(4)))).containsExactly("data.source");
    }

    @Test
    void whatMayDifferByMemberIsNoPartOfIt() {
        Dataset data = rows(0).shuffle(7).batch(4);
        assertThat(with(data.prefetch(3).cache())).isEqualTo(with(data));
    }

    @Test
    void lambdasAreWrittenAsSuch() {
        assertThat(with(rows(0).map(sample -> sample)).values()).contains("map(lambda)");
    }
}
