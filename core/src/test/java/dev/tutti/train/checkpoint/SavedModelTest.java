package dev.tutti.train.checkpoint;

import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.data.transform.Transform;
import dev.tutti.io.CorruptFileException;
import dev.tutti.io.FileException;
import dev.tutti.train.Blobs;
import dev.tutti.train.Evaluation;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SavedModelTest {
    @TempDir
    private Path folder;

    @Test
    void loadsAsItWasSaved() {
        Path saved = folder.resolve("blobs");
        NdArray batch = NdArray.of(new float[] {2, 0, 0, 0, 0, 2, 0, 0}, 2, 4);
        NdArray expected;
        Evaluation evaluation;
        try (Trainer trainer =
                Blobs.trainer().preprocessing(Transform.scale(0.5, 0.1)).classes(List.of("a", "b", "c"))) {
            History history = trainer.fit(Blobs.data(90).batch(10), epochs(2).validate(Blobs.data(50, 4)));
            evaluation = history.last().measured();
            trainer.save(saved, evaluation);
            expected = trainer.predict(batch);
        }
        try (SavedModel model = SavedModel.load(saved)) {
            Trainer trainer = model.trainer();
            assertThat(trainer.predict(batch)).isEqualTo(expected);
            assertThat(trainer.evaluate(Blobs.data(50, 4))).isEqualTo(evaluation);
            assertThat(model.metrics()).isEqualTo(evaluation);
            assertThat(model.features().classes()).containsExactly("a", "b", "c");
            assertThat(model.made().epochs()).isEqualTo(2);
            assertThat(model.made().recipe().seed()).isEqualTo(3);
            assertThat(model.made().data()).contains("batch(10)");
        }
        assertThat(folder.toFile().list()).as("nothing half-written beside it").containsExactly("blobs");
    }

    @Test
    void replacesAModelButNothingElse() throws IOException {
        Path saved = folder.resolve("model");
        try (Trainer trainer = Blobs.trainer()) {
            trainer.fit(Blobs.data(30).batch(10), epochs(1));
            trainer.save(saved);
            trainer.save(saved);
            Path thesis = Files.writeString(folder.resolve("thesis.txt"), "years of work");
            assertThatThrownBy(() -> trainer.save(folder))
                    .isInstanceOf(FileException.class)
                    .hasMessageContaining("choose another folder");
            assertThat(thesis).hasContent("years of work");
        }
    }

    @Test
    void saysWhatIsWrongWithAFolder() throws IOException {
        assertThatThrownBy(() -> SavedModel.load(folder.resolve("nowhere")))
                .isInstanceOf(FileException.class)
                .hasMessageContaining("does not exist");
        assertThatThrownBy(() -> SavedModel.load(folder))
                .isInstanceOf(FileException.class)
                .hasMessageContaining("is not a saved model");
        Path saved = folder.resolve("cut");
        try (Trainer trainer = Blobs.trainer()) {
            trainer.fit(Blobs.data(30).batch(10), epochs(1));
            trainer.save(saved);
        }
        Path weights = saved.resolve("weights.safetensors");
        byte[] bytes = Files.readAllBytes(weights);
        Files.write(weights, java.util.Arrays.copyOf(bytes, bytes.length - 1));
        assertThatThrownBy(() -> SavedModel.load(saved))
                .isInstanceOf(CorruptFileException.class)
                .hasMessageContaining("weights.safetensors");
    }
}
