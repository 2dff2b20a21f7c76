package dev.tutti.train.checkpoint;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.checkpoint;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;
import dev.tutti.io.Safetensors;
import dev.tutti.train.Blobs;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints and models that were saved when each was one file of arrays still load. */
class FirstFormatTest {
    private static Path saved(String name) throws URISyntaxException {
        return Path.of(FirstFormatTest.class
                .getResource("/dev/tutti/train/first-format/" + name)
                .toURI());
    }

    private static Trainer trainer() {
        return Trainer.of(Blobs.model(), adam(0.01), softmaxCrossEntropy())
                .metrics(accuracy())
                .movingAverage(0.9)
                .seed(11)
                .cores(1);
    }

    private static Map<String, NdArray> fit(Fit fit) {
        try (Trainer trainer = trainer()) {
            History history = trainer.fit(Blobs.data(70).shuffle(5).batch(8), fit);
            assertThat(history.epochs()).isNotEmpty();
            return trainer.model().arrays();
        }
    }

    @Test
    void aRunGoesOnFromItsCheckpoint(@TempDir Path folder) throws URISyntaxException {
        Callback stopper = new Callback() {
            @Override
            public void step(Run run) {
                if (run.step() == 9) {
                    run.stop("cut");
                }
            }
        };
        Map<String, NdArray> inOneGo = fit(epochs(3).accumulate(2).resume(saved("checkpoints")));
        fit(epochs(3).accumulate(2).resume(saved("checkpoints")).callbacks(stopper, checkpoint(folder)));
        Map<String, NdArray> byANewOne = fit(epochs(3).accumulate(2).resume(folder));
        assertThat(byANewOne.keySet()).isEqualTo(inOneGo.keySet());
        inOneGo.forEach((name, values) ->
                assertThat(byANewOne.get(name).floats()).as(name).containsExactly(values.floats(), within(1e-5f)));
    }

    @Test
    void aCheckpointIsReadInFull() throws URISyntaxException {
        Path file = saved("checkpoints/step-000000007.safetensors");
        Checkpoint checkpoint = Checkpoint.open(file);
        assertThat(checkpoint.progress().step()).isEqualTo(7);
        Map<String, NdArray> arrays = Safetensors.readVerified(file).tensors();
        assertThat(checkpoint.names()).isEqualTo(arrays.keySet());
        arrays.forEach(
                (name, array) -> assertThat(checkpoint.array(name)).as(name).isEqualTo(array));
    }

    @Test
    void aModelLoads() throws URISyntaxException {
        try (SavedModel model = SavedModel.load(saved("model"))) {
            assertThat(model.model().arrays())
                    .isEqualTo(Safetensors.readVerified(saved("model/weights.safetensors"))
                            .tensors());
        }
    }
}
