package dev.tutti.transfer.huggingface;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;
import dev.tutti.io.TensorFile;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Small models that transformers has written, with what it computes by them; see make_golden.py. */
class ForeignModelTest {
    private static final Path GOLDEN = Path.of("src/test/resources/huggingface");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"bert", "distilbert", "gpt2", "llama"})
    void givesWhatTransformersGives(String name) {
        try (ForeignModel foreign = ForeignModel.read(GOLDEN.resolve(name))) {
            requireGolden(name, foreign.model().predict(golden(name).array("ids")));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bert", "distilbert", "gpt2", "llama"})
    void isAnOrdinaryModelThatIsWrittenBack(String name) throws Exception {
        Path saved = folder.resolve("saved");
        Path back = folder.resolve("back");
        try (ForeignModel foreign = ForeignModel.read(GOLDEN.resolve(name))) {
            foreign.save(saved);
        }
        try (SavedModel model = SavedModel.load(saved)) {
            requireGolden(name, model.model().predict(golden(name).array("ids")));
            ForeignModel.writeBack(model.model(), saved, "", back);
        }
        TensorFile before = TensorFile.open(GOLDEN.resolve(name).resolve("model.safetensors"));
        TensorFile after = TensorFile.open(back.resolve("model.safetensors"));
        assertThat(after.names()).containsExactlyInAnyOrderElementsOf(before.names());
        for (String tensor : before.names()) {
            assertThat(after.array(tensor)).as(tensor).isEqualTo(before.array(tensor));
        }
        assertThat(Files.readString(back.resolve("config.json")))
                .isEqualTo(Files.readString(GOLDEN.resolve(name).resolve("config.json")));
    }

    @Test
    void whatCannotBeReadSaysWhatIsExpected() throws Exception {
        assertThatThrownBy(() -> ForeignModel.read(folder.resolve("none"))).hasMessageContaining("does not exist");
        assertThatThrownBy(() -> ForeignModel.read(folder)).hasMessageContaining("model.safetensors");
        Files.copy(GOLDEN.resolve("bert/model.safetensors"), folder.resolve("model.safetensors"));
        Files.writeString(folder.resolve("config.json"), "{\"model_type\": \"t5\"}");
        assertThatThrownBy(() -> ForeignModel.read(folder)).hasMessageContaining("received 't5'");
    }

    /** A large model by hand: {@code -Dtutti.foreign=FOLDER}, with {@code golden.safetensors} (ids, output) in it. */
    @Test
    @EnabledIfSystemProperty(named = "tutti.foreign", matches = ".+")
    void aRealModelGivesWhatItsOwnPythonGives() {
        Path real = Path.of(System.getProperty("tutti.foreign"));
        TensorFile golden = TensorFile.open(real.resolve("golden.safetensors"));
        try (ForeignModel foreign = ForeignModel.read(real)) {
            NdArray actual = foreign.model().predict(golden.array("ids"));
            NdArray expected = golden.array("output");
            double most = 0;
            for (int i = 0; i < expected.size(); i++) {
                most = Math.max(most, Math.abs(actual.at(i) - expected.at(i)));
            }
            System.out.println(real + ": largest difference " + most);
            assertThat(most).isLessThan(1e-4);
        }
    }

    private static TensorFile golden(String name) {
        return TensorFile.open(GOLDEN.resolve(name).resolve("golden.safetensors"));
    }

    private static void requireGolden(String name, NdArray actual) {
        NdArray expected = golden(name).array("output");
        NdArray ids = golden(name).array("ids");
        assertThat(actual.shape()).isEqualTo(expected.shape());
        int width = actual.size() / ids.size();
        for (int i = 0; i < actual.size(); i++) {
            if (name.equals("gpt2")
                    || name.equals("llama")
                    || ids.longAt(i / width) != 0) { // what fills a short sequence has no meaning
                assertThat(actual.at(i)).as("element %s", i).isCloseTo(expected.at(i), within(1e-4));
            }
        }
    }
}
