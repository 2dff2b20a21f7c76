package dev.tutti.estimator;

import static dev.tutti.nn.Layers.dense;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;
import dev.tutti.cluster.Cluster;
import dev.tutti.data.Dataset;
import dev.tutti.loss.Losses;
import dev.tutti.metric.Metrics;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizers;
import dev.tutti.source.Sources;
import dev.tutti.source.column.BucketColumn;
import dev.tutti.source.column.CategoryColumn;
import dev.tutti.source.column.Columns;
import dev.tutti.source.column.CrossColumn;
import dev.tutti.source.column.LabelColumn;
import dev.tutti.source.column.NumericColumn;
import dev.tutti.strategy.Strategies;
import dev.tutti.train.Evaluation;
import dev.tutti.train.History;
import dev.tutti.train.checkpoint.SavedModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Estimator from training to export, with a model function and with those that are ready to use. */
class EstimatorTest {
    @TempDir
    Path folder;

    private static final ModelFunction LINEAR = (mode, context) -> EstimatorSpec.of(mode, Sequential.of(dense(1)))
            .loss(Losses.mse())
            .trainOperation(Optimizers.adam(0.05))
            .metrics(Metrics.mae());

    /** y = 2a - b + 1 on 320 rows: ten batches of 32. */
    private static Dataset line() {
        Random random = new Random(3);
        float[] x = new float[640];
        float[] y = new float[320];
        for (int i = 0; i < 320; i++) {
            x[2 * i] = random.nextFloat();
            x[2 * i + 1] = random.nextFloat();
            y[i] = 2 * x[2 * i] - x[2 * i + 1] + 1;
        }
        return Dataset.of(NdArray.of(x, 320, 2), NdArray.of(y, 320, 1))
                .shuffle(1)
                .batch(32);
    }

    private Estimator estimator(String name) {
        return Estimator.of(LINEAR, RunConfig.in(folder.resolve(name)).seed(5));
    }

    @Test
    void trainingGoesOnWhereTheFolderStands() {
        Estimator whole = estimator("whole");
        whole.train(EstimatorTest::line, 47);
        Estimator first = estimator("parts");
        History history = first.train(EstimatorTest::line, 23);
        assertThat(history.epochs()).hasSize(2);
        estimator("parts").train(EstimatorTest::line, 47);
        NdArray question = NdArray.of(new float[] {0.3f, 0.9f}, 1, 2);
        NdArray answer = whole.predict(() -> Dataset.of(question));
        assertThat(estimator("parts").predict(() -> Dataset.of(question))).isEqualTo(answer);
        assertThat(estimator("parts").evaluate(EstimatorTest::line).loss())
                .isEqualTo(whole.evaluate(EstimatorTest::line).loss());
    }

    @Test
    void itLearnsAndExports() {
        Estimator estimator = estimator("line");
        List<Evaluation> evaluations = Estimator.trainAndEvaluate(
                estimator,
                TrainSpec.of(EstimatorTest::line, 400),
                EvalSpec.of(EstimatorTest::line)
                        .everySteps(150)
                        .steps(5)
                        .exporters(
                                Exporters.atEnd(folder.resolve("end")),
                                Exporters.latest(folder.resolve("latest"), 2),
                                Exporters.best(folder.resolve("best"))));
        assertThat(folder.resolve("end")).isNotEmptyDirectory();
        assertThat(folder.resolve("latest/step-150")).doesNotExist();
        assertThat(folder.resolve("latest/step-300")).isNotEmptyDirectory();
        assertThat(folder.resolve("latest/step-400")).isNotEmptyDirectory();
        assertThat(folder.resolve("best.json")).content().contains("\"metric\"").contains("loss");
        assertThat(evaluations).hasSize(3);
        assertThat(evaluations.get(2).samples()).isEqualTo(160);
        assertThat(evaluations.get(2).loss())
                .isLessThan(1e-3)
                .isLessThan(evaluations.get(0).loss());
        Path exported = folder.resolve("exported");
        estimator.export(exported);
        try (SavedModel saved = SavedModel.load(exported)) {
            NdArray answer = saved.trainer().predict(NdArray.of(new float[] {1, 1}, 1, 2));
            assertThat(answer.at(0)).isCloseTo(2, within(0.1));
        }
        Estimator warm = estimator("warm").warmStart(exported);
        warm.train(EstimatorTest::line, 1);
        assertThat(warm.evaluate(EstimatorTest::line).loss()).isLessThan(0.05);
    }

    @Test
    void hooksFollowAndEndTheTraining() {
        List<String> lines = new ArrayList<>();
        Estimator estimator = estimator("hooks");
        History history = estimator.train(TrainSpec.of(EstimatorTest::line, 100)
                .hooks(
                        Hooks.logTensors(List.of("step", "loss"), 4, lines::add),
                        Hooks.summaries(folder.resolve("summaries"), 5),
                        Hooks.checkpoints(folder.resolve("own"), 6, 1),
                        Hooks.stopAtStep(12)));
        assertThat(folder.resolve("summaries")).isNotEmptyDirectory();
        assertThat(folder.resolve("own")).isNotEmptyDirectory();
        assertThat(history.reason().orElseThrow()).contains("step 12 is reached");
        assertThat(lines).hasSize(3);
        assertThat(lines.get(0)).startsWith("step = 4, loss = ");
        assertThat(folder.resolve("hooks/checkpoints")).isNotEmptyDirectory();
        assertThatThrownBy(() -> estimator("again")
                        .train(TrainSpec.of(EstimatorTest::line, 100)
                                .hooks(Hooks.logTensors(List.of("nothing"), 1, lines::add))))
                .hasMessageContaining("no parameter 'nothing'");
    }

    @Test
    void itRunsUnderAStrategy() {
        Estimator alone = estimator("alone");
        alone.train(EstimatorTest::line, 20);
        Estimator threads = Estimator.of(
                LINEAR, RunConfig.in(folder.resolve("threads")).seed(5).on(Cluster.threads(2), Strategies.allReduce()));
        threads.train(EstimatorTest::line, 20);
        assertThat(threads.evaluate(EstimatorTest::line).loss())
                .isCloseTo(alone.evaluate(EstimatorTest::line).loss(), within(1e-4));
    }

    @Test
    void cannedEstimatorsLearnATable() throws IOException {
        Random random = new Random(1);
        StringBuilder text = new StringBuilder("age,work,town,rich\n");
        for (int i = 0; i < 1200; i++) {
            int age = 20 + random.nextInt(50);
            int work = random.nextInt(3);
            int town = random.nextInt(3);
            text.append(age + ",w" + work + ",t" + town + "," + ((work == town) == (age > 40) ? "yes" : "no") + "\n");
        }
        Path file = Files.writeString(folder.resolve("rich.csv"), text);
        InputFunction input =
                () -> Dataset.of(Sources.csv(file.toString())).shuffle(1).batch(32);
        Columns columns = Columns.of(
                        NumericColumn.of("age"),
                        BucketColumn.of("age", 40.5),
                        CategoryColumn.of("work"),
                        CrossColumn.of(64, "work", "town"),
                        CategoryColumn.of("town").size(8).embedding())
                .label(LabelColumn.classes("rich"));
        Estimator wideAndDeep = CannedEstimators.wideAndDeep(
                columns, RunConfig.in(folder.resolve("wide")).seed(2), 32);
        wideAndDeep.train(input, 700);
        assertThat(wideAndDeep.evaluate(input).get("accuracy")).isGreaterThan(0.95);
        Path fresh = Files.writeString(folder.resolve("fresh.csv"), "town,work,age\nt1,w1,60\n");
        NdArray logits = wideAndDeep.predict(() -> Dataset.of(Sources.csv(fresh.toString())));
        assertThat(logits.at(1)).isGreaterThan(logits.at(0));

        Columns plain =
                Columns.of(NumericColumn.of("age"), CategoryColumn.of("work")).label(LabelColumn.classes("rich"));
        Estimator linear = CannedEstimators.linear(plain, RunConfig.in(folder.resolve("linear")));
        linear.train(input, 100);
        assertThat(linear.evaluate(input).get("accuracy")).isBetween(0.4, 0.8); // an exclusive or is not linear
        assertThatThrownBy(() -> CannedEstimators.linear(columns, RunConfig.in(folder.resolve("no")))
                        .train(input, 1))
                .isInstanceOf(EstimatorException.class)
                .hasMessageContaining("make them one-hot");
    }

    @Test
    void whatIsMissingIsSaid() {
        assertThatThrownBy(() -> estimator("none").evaluate(EstimatorTest::line))
                .isInstanceOf(EstimatorException.class)
                .hasMessageContaining("has not been trained yet");
        Estimator half = Estimator.of(
                (mode, context) -> EstimatorSpec.of(mode, Sequential.of(dense(1))),
                RunConfig.in(folder.resolve("half")));
        assertThatThrownBy(() -> half.train(EstimatorTest::line)).hasMessageContaining("no loss");
    }
}
