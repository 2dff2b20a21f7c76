package dev.tutti.train.multitask;

import static dev.tutti.loss.Losses.mse;
import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.metric.Metrics.mae;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.adam;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Dataset;
import dev.tutti.data.stage.MixStage;
import dev.tutti.nn.Graph;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class MultiTaskTest {
    private static final Graph GRAPH = Graph.inputs("x")
            .add("trunk", dense(16).relu(), "x")
            .add("kind", dense(3), "trunk")
            .add("size", dense(1), "trunk")
            .outputs("kind", "size");

    /** Rows whose first feature is their number, so that they can be told apart. */
    private static Dataset kinds(int rows) {
        float[] features = new float[rows * 3];
        long[] labels = new long[rows];
        Random random = new Random(1);
        for (int i = 0; i < rows; i++) {
            labels[i] = i % 3;
            features[i * 3] = i / (float) rows;
            features[i * 3 + 1] = labels[i] == 0 ? 1 : 0;
            features[i * 3 + 2] = (float) (labels[i] == 1 ? 1 : 0 + 0.01 * random.nextGaussian());
        }
        return Dataset.of(NdArray.of(features, rows, 3), NdArray.of(labels, rows));
    }

    private static Dataset sizes(int rows) {
        float[] features = new float[rows * 3];
        float[] labels = new float[rows];
        for (int i = 0; i < rows; i++) {
            features[i * 3] = -i / (float) rows - 1;
            features[i * 3 + 1] = i % 2;
            labels[i] = 2 * features[i * 3] + 1;
        }
        return Dataset.of(NdArray.of(features, rows, 3), NdArray.of(labels, rows, 1));
    }

    private static MultiTask tasks() {
        return MultiTask.of(
                GRAPH,
                Task.of("numbers", sizes(40), "size", mse()).metrics(mae()).weight(0.5),
                Task.of("classes", kinds(120), "kind", softmaxCrossEntropy()).metrics(accuracy()));
    }

    @Test
    void bothTasksAreLearnedAndMeasured() {
        MultiTask tasks = tasks();
        try (Trainer trainer = tasks.trainer(adam(0.02)).seed(3)) {
            History history =
                    trainer.fit(tasks.data(7).batch(32), Fit.epochs(20).quiet());

            Map<String, Double> metrics = history.last().training().metrics();
            assertThat(metrics).containsOnlyKeys("classes.accuracy", "numbers.mae");
            assertThat(metrics.get("classes.accuracy")).isGreaterThan(0.95);
            assertThat(metrics.get("numbers.mae")).isLessThan(0.3);
        }
    }

    @Test
    void theLossOfABatchIsTheWeightedMeanOverItsRows() {
        MultiTask tasks = tasks();
        try (Trainer trainer = tasks.trainer(adam(0.02)).seed(3)) {
            trainer.build(tasks.data(7));
            double all = trainer.evaluate(MultiTask.validation(java.util.List.of(kinds(120), sizes(40))))
                    .loss();
            double kinds = trainer.evaluate(MultiTask.validation(java.util.List.of(kinds(120), sizes(1))))
                    .loss();
            assertThat(all).isNotEqualTo(kinds);
            double halves = 0;
            double rows = 0;
            Dataset data = MultiTask.validation(java.util.List.of(kinds(120), sizes(40)));
            for (int part = 0; part < 2; part++) {
                Dataset half = data.shard(part, 2);
                long size = half.size().orElseThrow();
                halves += trainer.evaluate(half).loss() * size;
                rows += size;
            }
            assertThat(halves / rows).isCloseTo(all, within(1e-6));
        }
    }

    @Test
    void everyRowCountsOncePerEpochOfItsOwnTask() {
        MixStage stage = new MixStage(new long[] {120, 40}, 5, 3);
        Dataset data = Dataset.of(TaskSource.of(java.util.List.of(kinds(120), sizes(40))))
                .mix(stage);
        assertThat(stage.counts(0)).satisfies(counts -> {
            assertThat(Arrays.stream(counts).sum()).isEqualTo(160);
            assertThat(counts[1]).isBetween(60L, 75L);
        });
        Map<Float, Integer> seen = new TreeMap<>();
        long drawn = 0;
        for (int epoch = 0; epoch < 3; epoch++) {
            try (BatchReader reader = data.batch(16).open(epoch)) {
                for (Optional<Batch> batch = reader.next(); batch.isPresent(); batch = reader.next()) {
                    for (int i = 0; i < batch.get().size(); i++) {
                        seen.merge(batch.get().feature().floats()[i * 3], 1, Integer::sum);
                        drawn++;
                    }
                }
            }
        }
        assertThat(drawn).isEqualTo(480);
        // Of the small task about 200 rows were drawn from 40: each five times, or once less or more in the round under
        // way.
        var small = seen.entrySet().stream()
                .filter(row -> row.getKey() < 0)
                .map(Map.Entry::getValue)
                .toList();
        var large = seen.entrySet().stream()
                .filter(row -> row.getKey() >= 0)
                .map(Map.Entry::getValue)
                .toList();
        assertThat(small).hasSize(40);
        assertThat(large).hasSize(120);
        int least = small.stream().min(Integer::compare).orElseThrow();
        assertThat(small).allMatch(count -> count == least || count == least + 1);
        assertThat(least).isGreaterThanOrEqualTo(4);
        assertThat(large).allMatch(count -> count == 2 || count == 3);
    }

    @Test
    void inProportionEveryRowIsThereOnce() {
        Dataset data = tasks().data(7).batch(16);
        Map<Float, Integer> seen = new TreeMap<>();
        try (BatchReader reader = data.open(1)) {
            for (Optional<Batch> batch = reader.next(); batch.isPresent(); batch = reader.next()) {
                for (int i = 0; i < batch.get().size(); i++) {
                    seen.merge(batch.get().feature().floats()[i * 3], 1, Integer::sum);
                }
            }
        }
        assertThat(seen)
                .hasSize(160)
                .allSatisfy((row, count) -> assertThat(count).isEqualTo(1));
    }

    @Test
    void tasksAndOutputsBelongTogether() {
        assertThatThrownBy(() -> MultiTask.of(GRAPH, Task.of("a", kinds(3), "kinds", softmaxCrossEntropy())))
                .hasMessageContaining("'kind' has no task");
        assertThatThrownBy(() -> MultiTask.of(
                        GRAPH,
                        Task.of("a", kinds(3), "kind", softmaxCrossEntropy()),
                        Task.of("b", sizes(3), "size", mse()),
                        Task.of("c", sizes(3), "sizes", mse())))
                .hasMessageContaining("did you mean 'size'");
    }
}
