package dev.tutti.strategy.parallel;

import static dev.tutti.strategy.Strategies.parallel;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;
import dev.tutti.comm.Team;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.strategy.TestingCluster;
import dev.tutti.strategy.parallel.inference.CutModel;
import dev.tutti.train.Trainer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
                                answers = ask(cut, model);
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
