package dev.tutti.strategy.parallel;

import static dev.tutti.strategy.Strategies.parallel;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.comm.Team;
import dev.tutti.data.Dataset;
import dev.tutti.io.CorruptFileException;
import dev.tutti.io.TensorFile;
import dev.tutti.nn.Model;
import dev.tutti.strategy.Members;
import dev.tutti.strategy.TestingCluster;
import dev.tutti.strategy.Weights;
import dev.tutti.strategy.parallel.inference.CutModel;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callbacks;
import dev.tutti.train.checkpoint.SavedModel;
import dev.tutti.train.checkpoint.SavedWeights;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A model in parts is saved by all members, each writing what it holds, and read on any grid. */
@Timeout(120)
class SavedPartsTest {
    private static final List<Parallel> GRIDS = List.of(
            parallel().pipeline(3).microBatches(2),
            parallel().tensor(2),
            parallel().data(2).tensor(2).pipeline(2).microBatches(2));

    @TempDir
    Path folder;

    private static Dataset data(ParallelModels model) {
        return model.data(48).shuffle(3).batch(16);
    }

    /** What the first member gathers; the parts are in a folder. */
    private static Map<String, NdArray> train(ParallelModels model, Parallel strategy, Path saved) {
        return Members.of(strategy.grid(1).members())
                .fit(model::trainer, data(model), epochs(1).with(strategy).callbacks(Callbacks.finalModel(saved)))
                .get(0)
                .weights();
    }

    private static List<Path> parts(Path saved) throws IOException {
        try (Stream<Path> files = Files.list(saved)) {
            return files.filter(file -> file.toString().endsWith(".safetensors"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @EnumSource(ParallelModels.class)
    void partsAreReadWholeByOneMember(ParallelModels model) throws IOException {
        for (int i = 0; i < GRIDS.size(); i++) {
            Path saved = folder.resolve(model + " " + i);
            Map<String, NdArray> expected = train(model, GRIDS.get(i), saved);
            assertThat(saved.resolve("weights.safetensors")).doesNotExist();
            try (SavedModel loaded = SavedModel.load(saved)) {
                Weights.assertClose(loaded.model().arrays(), expected, 0);
                assertThat(loaded.made().epochs()).isEqualTo(1);
                assertThat(loaded.metrics().samples()).isEqualTo(48);
            }
        }
    }

    /** Every parameter is in the files once, and no file has all of them. */
    @Test
    void aMemberWritesWhatItHolds() throws IOException {
        Path saved = folder.resolve("model");
        train(ParallelModels.MLP, parallel().data(2).tensor(2).pipeline(2).microBatches(2), saved);
        long elements = 0;
        long largest = 0;
        for (Path part : parts(saved)) {
            TensorFile file = TensorFile.openVerified(part);
            long own = file.names().stream()
                    .mapToLong(name -> file.shape(name).size())
                    .sum();
            elements += own;
            largest = Math.max(largest, own);
        }
        try (SavedModel loaded = SavedModel.load(saved)) {
            assertThat(elements)
                    .isEqualTo(loaded.model().parameters().stream()
                            .mapToLong(p -> p.shape().size())
                            .sum());
        }
        assertThat(parts(saved)).hasSizeBetween(4, 8);
        assertThat(largest).isLessThan(elements / 2);
        assertThat(Files.readString(saved.resolve("weights.safetensors.index.json")))
                .contains("\"weight_map\"", "\"total_size\"", "weights-00001-of-00008.safetensors");
    }

    /** Members of another grid read slices of what others have written, and answer as the whole model does. */
    @ParameterizedTest
    @EnumSource(
            value = ParallelModels.class,
            names = {"MLP", "ENCODER"})
    void partsAreReadOnAnotherGrid(ParallelModels model) {
        Path saved = folder.resolve("model");
        train(model, parallel().tensor(2).pipeline(2).microBatches(2), saved);
        NdArray features = features(model);
        NdArray expected;
        try (SavedModel loaded = SavedModel.load(saved);
                Trainer trainer = loaded.trainer()) {
            expected = trainer.predict(features);
        }
        for (Parallel grid : List.of(parallel().pipeline(3), parallel().tensor(2))) {
            NdArray actual = asked(saved, grid, features);
            for (int i = 0; i < expected.size(); i++) {
                assertThat(actual.at(i)).isCloseTo(expected.at(i), within(1e-5));
            }
        }
    }

    private static NdArray features(ParallelModels model) {
        try (var reader = model.data(8).batch(8).open(0)) {
            return reader.next().orElseThrow().features().get(0);
        }
    }

    private static NdArray asked(Path saved, Parallel grid, NdArray features) {
        return new TestingCluster(grid.grid(1).members())
                .run(place -> {
                    try (Team team = place.assemble(null)) {
                        team.meet(0);
                        NdArray answer = features;
                        try (CutModel cut = CutModel.open(saved, grid, team)) {
                            if (team.group().rank() == 0) {
                                answer = cut.predict(List.of(features))
                                        .orTimeout(60, TimeUnit.SECONDS)
                                        .join()
                                        .get(0);
                            } else {
                                cut.run();
                            }
                        }
                        team.done();
                        return answer;
                    }
                })
                .get("worker-0");
    }

    /** The average is what is evaluated, so it is what is saved: of every part. */
    @Test
    void theMovingAverageIsSavedInParts() {
        Path saved = folder.resolve("model");
        ParallelModels model = ParallelModels.MLP;
        Map<String, NdArray> expected;
        try (Trainer one = model.trainer().movingAverage(0.5)) {
            one.fit(data(model), epochs(2));
            expected = one.model().arrays();
        }
        Members.of(2)
                .fit(
                        () -> model.trainer().movingAverage(0.5),
                        data(model),
                        epochs(2).with(parallel().pipeline(2).microBatches(2)).callbacks(Callbacks.finalModel(saved)));
        try (SavedModel loaded = SavedModel.load(saved)) {
            Weights.assertClose(loaded.model().arrays(), expected, 2e-5);
        }
    }

    @Test
    void theBestModelIsSavedInPartsAfterAnEpoch() {
        Path saved = folder.resolve("best");
        Members.of(2)
                .fit(
                        ParallelModels.MLP::trainer,
                        data(ParallelModels.MLP),
                        epochs(2).with(parallel().tensor(2)).callbacks(Callbacks.bestModel(saved, "loss")));
        try (SavedModel loaded = SavedModel.load(saved)) {
            assertThat(loaded.model().vector().size()).isPositive();
        }
    }

    /** A part that is not needed is not looked at; one that is needed is compared with its checksum. */
    @Test
    void aDamagedPartIsNamedWhereItIsNeeded() throws IOException {
        Path saved = folder.resolve("model");
        train(ParallelModels.MLP, parallel().pipeline(3).microBatches(2), saved);
        Path last = parts(saved).get(2);
        byte[] bytes = Files.readAllBytes(last);
        bytes[bytes.length - 3] ^= 1;
        Files.write(last, bytes);
        assertThatThrownBy(() -> SavedModel.load(saved).close())
                .isInstanceOf(CorruptFileException.class)
                .hasMessageContaining(last.getFileName().toString());
        var plan = SavedModel.describe(saved, Model.Options.DEFAULT).plan();
        try (Model first = plan.part(new Range(0, 1)).build()) {
            SavedModel.readWeights(saved, first);
        }
        Files.delete(last);
        assertThatThrownBy(() -> SavedWeights.of(saved))
                .isInstanceOf(CorruptFileException.class)
                .hasMessageContaining("is missing");
    }
}
