package dev.tutti.train.transfer;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.batchNorm;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.transformerEncoder;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.optim.Optimizers.sgd;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.NamePattern;
import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.io.TensorFile;
import dev.tutti.io.TorchScriptFile;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.LowRankAdapter;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransferTest {
    private static final Layer DIGITS = Sequential.of(dense(8).relu(), dense(6).relu(), dense(4));

    @TempDir
    private Path folder;

    private static Dataset data(int classes) {
        Random random = new Random(5);
        float[] features = new float[64 * 5];
        long[] labels = new long[64];
        for (int i = 0; i < 64; i++) {
            labels[i] = i % classes;
            for (int j = 0; j < 5; j++) {
                features[i * 5 + j] = (float) (random.nextGaussian() + (j == labels[i] ? 2 : 0));
            }
        }
        return Dataset.of(NdArray.of(features, 64, 5), NdArray.of(labels, 64)).batch(16);
    }

    private static NdArray batch() {
        Random random = new Random(9);
        float[] values = new float[15];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return NdArray.of(values, 3, 5);
    }

    private Path saved() {
        Path path = folder.resolve("digits");
        try (Trainer trainer =
                Trainer.of(DIGITS, adam(0.01), softmaxCrossEntropy()).seed(3)) {
            trainer.fit(data(4), Fit.epochs(2).quiet());
            trainer.save(path);
        }
        return path;
    }

    @Test
    void weightsAreTakenByNameAndNothingIsSilent() {
        Path path = saved();
        Layer other = Sequential.of(
                dense(8).named("dense1").relu(), dense(7).named("dense2").relu(), dense(2).named("head"));
        try (Model model = Model.of(other, Input.of(5))) {
            AdoptionReport report = Adoption.from(path).into(model);

            assertThat(report.taken()).containsExactlyInAnyOrder("dense1.weight", "dense1.bias");
            assertThat(report.count(AdoptionReport.Fate.MISMATCHED)).isEqualTo(2);
            assertThat(report.count(AdoptionReport.Fate.NEW)).isEqualTo(2);
            assertThat(report.count(AdoptionReport.Fate.LEFT)).isEqualTo(2);
            assertThat(report.table()).contains("mismatched", "in the source", "dense3.weight", "left");
            try (SavedModel source = SavedModel.load(path)) {
                assertThat(model.arrays().get("dense1.weight"))
                        .isEqualTo(source.model().arrays().get("dense1.weight"));
            }
        }
    }

    @Test
    void safetensorsAndTorchScriptAreSourcesToo() {
        Path path = saved();
        Path weights = folder.resolve("some.safetensors");
        Path script = folder.resolve("some.pt");
        try (SavedModel source = SavedModel.load(path)) {
            SavedModel.writeWeights(source.model(), weights);
            TorchScriptFile.write(source.model(), script);
            for (Path each : List.of(weights, script)) {
                try (Model model = Model.of(DIGITS, Input.of(5))) {
                    assertThat(Adoption.from(each).into(model).count(AdoptionReport.Fate.TAKEN))
                            .as(each.toString())
                            .isEqualTo(6);
                    assertThat(model.arrays()).isEqualTo(source.model().arrays());
                }
            }
        }
    }

    @Test
    void aSourceWithNothingInCommonIsAnErrorWithTheTable() {
        Path path = saved();
        try (Model model = Model.of(dense(3).named("other"), Input.of(5))) {
            assertThatThrownBy(() -> Adoption.from(path).into(model))
                    .hasMessageContaining("nothing of")
                    .hasMessageContaining("dense1.weight");
        }
    }

    @Test
    void aTransferGraphLearnsItsHeadAlone() {
        Path path = saved();
        try (Model model = TransferGraph.createTransferGraph(path, Optional.of("dense2"), dense(3).named("head"));
                Trainer trainer = Trainer.of(model, adam(0.05), softmaxCrossEntropy())) {
            Map<String, NdArray> before = model.arrays();
            trainer.fit(data(3), Fit.epochs(2).quiet());
            Map<String, NdArray> after = model.arrays();

            assertThat(after.get("encoder.dense1.weight")).isEqualTo(before.get("encoder.dense1.weight"));
            assertThat(after.get("head.weight")).isNotEqualTo(before.get("head.weight"));
            assertThat(after).doesNotContainKey("encoder.dense3.weight");
        }
        assertThatThrownBy(() -> TransferGraph.fineTuneGraph(path, Optional.of("dens2"), dense(3)))
                .hasMessageContaining("dense2");
    }

    @Test
    void frozenBatchNormStandsStill() {
        Layer layers = Sequential.of(dense(4), batchNorm(), dense(3));
        try (Trainer trainer = Trainer.of(layers, adam(0.05), softmaxCrossEntropy())) {
            Model model = trainer.build(data(3));
            model.freezeMatching(new NamePattern("batchNorm*"));
            NdArray mean = model.arrays().get("batchNorm1.running_mean");
            trainer.fit(data(3), Fit.epochs(1).quiet());
            assertThat(model.arrays().get("batchNorm1.running_mean")).isEqualTo(mean);

            model.unfreeze("batchNorm1");
            trainer.fit(data(3), Fit.epochs(1).quiet());
            assertThat(model.arrays().get("batchNorm1.running_mean")).isNotEqualTo(mean);
        }
    }

    @Test
    void layersAreUnfrozenOneAfterTheOther() {
        try (Trainer trainer = Trainer.of(DIGITS, adam(0.05), softmaxCrossEntropy())) {
            Model model = trainer.build(data(4));
            model.freeze("dense1");
            model.freeze("dense2");
            NdArray first = model.arrays().get("dense1.weight");
            NdArray second = model.arrays().get("dense2.weight");
            GradualUnfreezing plan = new GradualUnfreezing(List.of("dense2", "dense1"), 1);
            trainer.fit(data(4), Fit.epochs(2).quiet().callbacks(plan));

            assertThat(model.arrays().get("dense1.weight"))
                    .as("its turn is after the second epoch")
                    .isEqualTo(first);
            assertThat(model.arrays().get("dense2.weight")).isNotEqualTo(second);
            assertThat(model.frozen()).isEmpty();
        }
    }

    @Test
    void groupsHaveLearningRatesOfTheirOwn() {
        for (var optimizer : List.of(sgd(0.1), adam(0.01))) {
            try (Trainer slow = Trainer.of(
                                    DIGITS,
                                    optimizer.rateFactors(Map.of("dense1*", 0.0, "dense2", 0.5)),
                                    softmaxCrossEntropy())
                            .seed(3);
                    Trainer same =
                            Trainer.of(DIGITS, optimizer, softmaxCrossEntropy()).seed(3)) {
                Model grouped = slow.build(data(4));
                Model plain = same.build(data(4));
                Map<String, NdArray> before = plain.arrays();
                slow.fit(data(4).take(16), Fit.epochs(1).quiet());
                same.fit(data(4).take(16), Fit.epochs(1).quiet());

                assertThat(grouped.arrays().get("dense1.weight")).isEqualTo(before.get("dense1.weight"));
                assertThat(grouped.arrays().get("dense3.weight"))
                        .isEqualTo(plain.arrays().get("dense3.weight"));
                float start = before.get("dense2.weight").floats()[0];
                float half = grouped.arrays().get("dense2.weight").floats()[0] - start;
                float whole = plain.arrays().get("dense2.weight").floats()[0] - start;
                assertThat(half).isCloseTo(whole / 2, org.assertj.core.api.Assertions.within(1e-6f));
            }
        }
        assertThatThrownBy(() -> Trainer.of(DIGITS, sgd(0.1).rateFactors(Map.of("dens1", 0.5)), softmaxCrossEntropy())
                        .fit(data(4), Fit.epochs(1).quiet()))
                .hasMessageContaining("dense1");
    }

    @Test
    void adaptersLearnAloneAreSavedAloneAndMerge() throws Exception {
        Path path = saved();
        Layer adapted = Lora.adapt(DIGITS, new LowRankAdapter(2, 4));
        Path file = folder.resolve("adapter.safetensors");
        try (Model model = Model.of(adapted, Input.of(5));
                SavedModel base = SavedModel.load(path);
                Trainer trainer = Trainer.of(model, adam(0.05), softmaxCrossEntropy())) {
            Adoption.from(path).into(model);
            Lora.freezeBase(model, Set.of());
            assertThat(model.predict(batch()))
                    .as("an adapter changes nothing at first")
                    .isEqualTo(base.model().predict(batch()));

            trainer.fit(data(4), Fit.epochs(3).quiet());
            assertThat(model.arrays().get("dense1.weight"))
                    .isEqualTo(base.model().arrays().get("dense1.weight"));
            NdArray learned = model.predict(batch());
            assertThat(learned).isNotEqualTo(base.model().predict(batch()));

            Lora.save(model, file);
            assertThat(TensorFile.open(file).names()).hasSize(6).allMatch(name -> name.contains("lora_"));
            assertThat(Files.size(file)).isLessThan(2000);
            try (Model merged = Lora.merge(model)) {
                assertThat(merged.parameters()).hasSize(6);
                close(merged.predict(batch()), learned);
            }
            try (Model another = Model.of(adapted, Input.of(5))) {
                Adoption.from(path).into(another);
                Lora.load(another, file);
                assertThat(another.predict(batch())).isEqualTo(learned);
            }
        }
    }

    @Test
    void adaptersOfATransformerMergeToo() {
        Layer adapted = Lora.adapt(transformerEncoder(2), new LowRankAdapter(2, 4));
        float[] values = new float[24];
        Random random = new Random(1);
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextGaussian();
        }
        NdArray batch = NdArray.of(values, 2, 3, 4);
        try (Model model = Model.of(adapted, Input.of(3, 4))) {
            model.vector().values().add_(0.05); // so that no part of an adapter is zero
            try (Model merged = Lora.merge(model)) {
                close(merged.predict(batch), model.predict(batch));
            }
        }
    }

    @Test
    void theHeadBehindACachedTrunkLearnsTheSame() {
        Path path = saved();
        try (Model cached = TransferGraph.createTransferGraph(path, Optional.of("dense2"), dense(3).named("head"));
                Model plain = TransferGraph.createTransferGraph(path, Optional.of("dense2"), dense(3).named("head"));
                Trainer trainer = Trainer.of(plain, adam(0.05), softmaxCrossEntropy())) {
            trainer.fit(data(3), Fit.epochs(2).quiet());
            TrunkCache trunk = new TrunkCache(cached, folder.resolve("trunk"));
            Dataset outputs =
                    trunk.outputs("train", data(3), () -> false).orElseThrow().batch(16);
            try (Model head = trunk.head();
                    Trainer behind = Trainer.of(head, adam(0.05), softmaxCrossEntropy())) {
                behind.fit(outputs, Fit.epochs(2).quiet());
                trunk.takeBack(head);
            }
            close(cached.predict(batch()), plain.predict(batch()));
        }
    }

    /** It may take long, and no step has been made that would ask: a wish to stop is heard between two batches. */
    @Test
    void computingTheOutputsOfATrunkCanBeInterrupted() {
        try (Model model = TransferGraph.createTransferGraph(saved(), Optional.of("dense2"), dense(3).named("head"))) {
            TrunkCache trunk = new TrunkCache(model, folder.resolve("trunk"));
            assertThat(trunk.outputs("train", data(3), () -> true)).isEmpty();
            assertThat(folder.resolve("trunk/train-outputs.idx")).doesNotExist();
        }
    }

    private static void close(NdArray actual, NdArray expected) {
        assertThat(actual.shape()).isEqualTo(expected.shape());
        for (int i = 0; i < actual.size(); i++) {
            assertThat(actual.at(i)).isCloseTo(expected.at(i), org.assertj.core.api.Assertions.within(1e-5));
        }
    }
}
