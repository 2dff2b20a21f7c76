package dev.tutti.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.data.transform.Transform;
import dev.tutti.loss.Losses;
import dev.tutti.metric.Metrics;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A model that is asked and learns no more. */
@Timeout(60)
class PredictorTest {
    @TempDir
    Path folder;

    private final Dataset data = Blobs.data(61).batch(20);

    @Test
    void answersAsTheTrainerThatSavedTheModel() {
        Path model = folder.resolve("model");
        NdArray predicted;
        Evaluation evaluated;
        try (Trainer trainer = Blobs.trainer()) {
            trainer.fit(data, Fit.epochs(2));
            trainer.save(model);
            predicted = trainer.predict(data);
            evaluated = trainer.evaluate(data);
        }
        try (Predictor predictor = Predictor.load(model).cores(1)) {
            assertThat(predictor.predict(data)).isEqualTo(predicted);
            assertThat(predictor.evaluate(data, Losses.softmaxCrossEntropy(), Metrics.accuracy()))
                    .isEqualTo(evaluated);
        }
    }

    @Test
    void aLoadedModelCarriesNoGradients() {
        Path folderOfModel = folder.resolve("model");
        try (Trainer trainer = Blobs.trainer()) {
            trainer.fit(data, Fit.epochs(1));
            trainer.save(folderOfModel);
        }
        try (Predictor predictor = Predictor.load(folderOfModel)) {
            assertThat(predictor.model().options().inference()).isTrue();
            assertThatThrownBy(() -> predictor.model().record(List.of())).hasMessageContaining("inference");
        }
    }

    @Test
    void leavesAGivenModelOpen() {
        try (Trainer trainer = Blobs.trainer()) {
            trainer.build(data);
            NdArray features = NdArray.of(new float[] {1, 2, 3, 4, 5, 6, 7, 8}, 2, 4);
            NdArray both;
            try (Predictor predictor = Predictor.of(trainer.model())) {
                both = predictor.predict(features);
            }
            assertThat(trainer.predict(features)).isEqualTo(both);
        }
    }

    @Test
    void aSavedModelIsAskedWithItsFeatures() {
        Path plain = folder.resolve("plain");
        NdArray predicted;
        try (Trainer trainer =
                Blobs.trainer().preprocessing(Transform.scale(0.5, 0)).classes(List.of("a", "b", "c"))) {
            trainer.fit(data, Fit.epochs(1));
            trainer.save(plain);
            predicted = trainer.predict(data);
        }
        try (SavedModel saved = SavedModel.load(plain);
                Predictor predictor = saved.predictor()) {
            assertThat(predictor.cores(1).predict(data)).isEqualTo(predicted);
            assertThat(predictor.classes()).containsExactly("a", "b", "c");
            assertThat(predictor.preprocessing(List.of()).predict(data)).isNotEqualTo(predicted);
        }
    }

    /** Batches side by side come to the result of one after the other, in the order of the data, also where one fails. */
    @Test
    void severalBatchesAreComputedSideBySide() {
        Path saved = folder.resolve("model");
        try (Trainer trainer = Blobs.trainer()) {
            trainer.fit(data, Fit.epochs(1));
            trainer.save(saved);
        }
        Dataset many = Blobs.data(61).repeat(20).batch(7);
        try (Predictor plain = Predictor.load(saved).cores(1);
                Predictor parallel = Predictor.load(saved).cores(4)) {
            assertThat(parallel.predict(many)).isEqualTo(plain.predict(many));
            assertThat(parallel.predict(Blobs.data(5)).shape())
                    .isEqualTo(plain.predict(Blobs.data(5)).shape());
            List<Long> seen = new ArrayList<>();
            assertThatThrownBy(() -> parallel.predict(many, outputs -> {
                        seen.add(outputs.shape().dim(0));
                        if (seen.size() == 3) {
                            throw new IllegalStateException("enough");
                        }
                    }))
                    .hasMessage("enough");
            assertThat(seen).containsExactly(7L, 7L, 7L);
            assertThatThrownBy(() -> parallel.predict(
                            Dataset.of(NdArray.of(new float[300], 100, 3)).batch(7)))
                    .hasMessageContaining("3");
            assertThat(parallel.predict(many)).isEqualTo(plain.predict(many));
        }
    }
}
