package dev.tutti.strategy;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.dropout;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.checkpoint;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Sequential;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.checkpoint.Checkpoint;
import dev.tutti.train.checkpoint.CheckpointFolder;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Members that meet first and then build what they hold: a model in two stages trains, is saved in parts and resumed as a whole. */
@Timeout(120)
class PartsOfModelsTest {
    private static final Dataset DATA = Blobs.data(96).shuffle(3).batch(24);
    private static final Sequential LAYERS =
            Sequential.of(dense(32).tanh(), dropout(0.2), dense(16).tanh(), dense(Blobs.CLASSES));

    private static final Supplier<Trainer> TRAINER =
            () -> Trainer.of(LAYERS, adam(0.01), softmaxCrossEntropy()).seed(4).cores(1);

    private static Map<String, NdArray> local(Fit fit) {
        try (Trainer one = TRAINER.get()) {
            one.fit(DATA, fit.with(Strategy.local()));
            return one.model().arrays();
        }
    }

    /** The parameters of both members; neither holds any of the other's. */
    private static Map<String, NdArray> staged(Fit fit) {
        List<Members.Result> results = Members.of(2).fit(TRAINER, DATA, fit.with(new TwoStages(2)));
        Map<String, NdArray> all = new LinkedHashMap<>();
        results.forEach(result -> result.weights().forEach((name, values) -> {
            assertThat(all).doesNotContainKey(name);
            all.put(name, values);
        }));
        return all;
    }

    private static Callback stopAt(long step) {
        return new Callback() {
            @Override
            public void step(Run run) {
                if (run.step() == step) {
                    run.stop("cut");
                }
            }
        };
    }

    @Test
    void equalsOneMachine() {
        Weights.assertClose(staged(epochs(3)), local(epochs(3)), 1e-6);
    }

    @Test
    void isSavedInPartsAndResumed(@TempDir Path folder) {
        Map<String, NdArray> expected = staged(epochs(3));
        staged(epochs(3).callbacks(checkpoint(folder).everySteps(3).keep(1), stopAt(6)));
        List<Path> files = new CheckpointFolder(folder).files();
        assertThat(files).singleElement().asString().endsWith(".manifest.json");
        Checkpoint checkpoint = Checkpoint.open(files.get(0));
        assertThat(checkpoint.names()).contains("model.dense1.weight", "model.dense3.bias", "optimizer.mean");
        assertThat(staged(epochs(3).resume(folder))).isEqualTo(expected);
        Weights.assertClose(local(epochs(3).resume(folder)), expected, 1e-6); // on one member, which holds the whole
    }

    @Test
    void aCheckpointOfOneMachineIsReadInParts(@TempDir Path folder) {
        Map<String, NdArray> expected = local(epochs(3));
        local(epochs(3).callbacks(checkpoint(folder), stopAt(6)));
        Weights.assertClose(staged(epochs(3).resume(folder)), expected, 1e-6);
    }

    /** A stage that is lost is lost: no other member holds its parameters. */
    @Test
    void aStageThatIsLostIsSaid() {
        TestingCluster cluster = new TestingCluster(2, TestingCluster.killing("worker-1", "before activations", 5));
        assertThatThrownBy(() -> cluster.run(place -> Members.Result.of(
                        TRAINER.get(), DATA, epochs(3).on(place).with(new TwoStages(2)))))
                .hasMessageContaining("two stages need two members, received 1");
    }
}
