package dev.tutti.strategy.parallel;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.attention;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.embedding;
import static dev.tutti.nn.Layers.residual;
import static dev.tutti.nn.Layers.rmsNorm;
import static dev.tutti.nn.Layers.swiGlu;
import static dev.tutti.optim.Optimizers.sgd;
import static dev.tutti.strategy.Strategies.parallel;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;
import dev.tutti.comm.Team;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Sequential;
import dev.tutti.strategy.TestingCluster;
import dev.tutti.strategy.parallel.inference.CutModel;
import dev.tutti.train.Trainer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Members that hold parts of a saved model answer as the whole model does. */
@Timeout(120)
class CutModelTest {
    private static final int BATCH = 4;

    private static List<List<NdArray>> batches(ParallelModels model) {
        List<List<NdArray>> all = new ArrayList<>();
        try (BatchReader reader = model.data(30).batch(BATCH).open(0)) {
            for (Optional<Batch> next = reader.next(); next.isPresent(); next = reader.next()) {
                all.add(next.get().features());
            }
        }
        return all;
    }

    /** What the whole model answers, which is left in a folder. */
    private static List<NdArray> saved(ParallelModels model, Path folder) {
        try (Trainer trainer = model.trainer()) {
            trainer.fit(model.data(16).batch(16), epochs(1));
            trainer.save(folder);
            return batches(model).stream()
                    .map(features -> trainer.predict(features.get(0)))
                    .toList();
        }
    }

    private static List<NdArray> ask(CutModel cut, ParallelModels model) {
        List<CompletableFuture<List<NdArray>>> answers = new ArrayList<>();
        for (List<NdArray> features : batches(model)) { // all are sent before the first answer is looked at
            answers.add(cut.predict(features));
        }
        return answers.stream()
                .map(answer -> answer.orTimeout(60, TimeUnit.SECONDS).join().get(0))
                .toList();
    }

    private static List<NdArray> together(Path folder, ParallelModels model, Parallel strategy) {
        return with(folder, strategy, cut -> ask(cut, model));
    }

    /** What the front does with a model that all open. */
    private static List<NdArray> with(Path folder, Parallel strategy, Function<CutModel, List<NdArray>> work) {
        return new TestingCluster(strategy.grid(1).members())
                .run(place -> {
                    try (Team team = place.assemble(null)) {
                        team.meet(0);
                        List<NdArray> answers = List.of();
                        try (CutModel cut = CutModel.open(folder, strategy, team)) {
                            assertThat(cut.part().vector().size())
                                    .isLessThan(cut.description().plan().parameters().stream()
                                            .mapToLong(p -> p.shape().size())
                                            .sum());
                            if (team.group().rank() == 0) {
                                answers = work.apply(cut);
                            } else {
                                cut.run();
                            }
                        }
                        team.done();
                        return answers;
                    }
                })
                .get("worker-0");
    }

    @ParameterizedTest
    @EnumSource(ParallelModels.class)
    void answersAreThoseOfTheWholeModel(ParallelModels model, @TempDir Path folder) {
        Path saved = folder.resolve("model");
        List<NdArray> expected = saved(model, saved);
        for (Parallel strategy : List.of(
                parallel().pipeline(3),
                parallel().tensor(2),
                parallel().tensor(2).pipeline(2))) {
            List<NdArray> actual = together(saved, model, strategy);
            assertThat(actual).hasSameSizeAs(expected);
            for (int i = 0; i < expected.size(); i++) {
                assertThat(actual.get(i).shape()).isEqualTo(expected.get(i).shape());
                for (int j = 0; j < expected.get(i).size(); j++) {
                    assertThat(actual.get(i).at(j)).isCloseTo(expected.get(i).at(j), within(1e-5));
                }
            }
        }
    }

    private static final Sequential WRITER = Sequential.of(
            embedding(20, 8),
            residual(rmsNorm(), attention(2).causal().rotary().noBias()),
            residual(rmsNorm(), swiGlu(12)),
            residual(rmsNorm(), attention(2).causal().rotary().noBias()),
            residual(rmsNorm(), swiGlu(12)),
            rmsNorm(),
            dense(20));

    private static NdArray ids(int from, int count) {
        long[] ids = new long[count];
        for (int i = 0; i < count; i++) {
            ids[i] = (from + i) * 7L % 20;
        }
        return NdArray.of(ids, 1, count);
    }

    /** A text of twelve tokens is given in pieces, beside another one; what members keep of it makes up for what they are not given again. */
    @Test
    void aTextIsWrittenOnStepByStep(@TempDir Path folder) {
        Path saved = folder.resolve("model");
        NdArray expected;
        try (Trainer trainer =
                Trainer.of(WRITER, sgd(0.1), softmaxCrossEntropy()).cores(1)) {
            trainer.build(Dataset.of(ids(0, 12), ids(1, 12)));
            trainer.save(saved);
            expected = trainer.model().predict(ids(0, 12));
        }
        for (Parallel strategy : List.of(
                parallel().pipeline(3),
                parallel().tensor(2),
                parallel().tensor(2).pipeline(2))) {
            List<NdArray> pieces = with(saved, strategy, cut -> {
                List<CompletableFuture<NdArray>> answers = new ArrayList<>();
                try (CutModel.Sequence text = cut.sequence();
                        CutModel.Sequence other = cut.sequence()) {
                    answers.add(text.predict(ids(0, 5)));
                    var unused = other.predict(ids(3, 4));
                    for (int i = 5; i < 12; i++) {
                        answers.add(text.predict(ids(i, 1)));
                    }
                    return answers.stream()
                            .map(answer ->
                                    answer.orTimeout(60, TimeUnit.SECONDS).join())
                            .toList();
                }
            });
            int at = 0;
            for (NdArray piece : pieces) {
                for (int i = 0; i < piece.size(); i++) {
                    assertThat(piece.at(i)).isCloseTo(expected.at(at++), within(1e-5));
                }
            }
            assertThat(at).isEqualTo(expected.size());
        }
    }

    @Test
    void aModelThatLooksAheadIsNotGivenStepByStep(@TempDir Path folder) {
        Path saved = folder.resolve("model");
        saved(ParallelModels.ENCODER, saved);
        assertThatThrownBy(() -> with(saved, parallel().pipeline(2), cut -> {
                    cut.sequence();
                    return List.of();
                }))
                .hasStackTraceContaining("cannot go on step by step");
    }

    @Test
    void aGridOfAnotherSizeIsRefused(@TempDir Path folder) {
        Path saved = folder.resolve("model");
        saved(ParallelModels.MLP, saved);
        assertThatThrownBy(() -> new TestingCluster(3).run(place -> {
                    try (Team team = place.assemble(null)) {
                        team.meet(0);
                        CutModel.open(saved, parallel().pipeline(2), team).close();
                        return true;
                    }
                }))
                .hasStackTraceContaining("expected 2 members");
    }
}
