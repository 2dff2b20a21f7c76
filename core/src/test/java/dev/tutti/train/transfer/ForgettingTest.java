package dev.tutti.train.transfer;

import static dev.tutti.loss.Losses.mse;
import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.optim.Optimizers.sgd;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.io.TensorFile;
import dev.tutti.loss.Loss;
import dev.tutti.nn.Input;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Consolidation;
import dev.tutti.optim.Optimizer;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A model that learns something new forgets what it knew before, and less of it where it is held. */
class ForgettingTest {
    private static final Dataset OLD = points(600, 0);
    private static final Dataset NEW = points(600, 4);

    @TempDir
    private Path folder;

    /** Points whose class follows from four of eight numbers; the others are noise for the old task, and zero for the new one. */
    private static Dataset points(int rows, int from) {
        Random random = new Random(from + 1);
        float[] x = new float[rows * 8];
        long[] labels = new long[rows];
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < 8; j++) {
                x[i * 8 + j] =
                        from == 4 && j < 4 ? (float) (0.5 * random.nextGaussian()) : (float) random.nextGaussian();
            }
            labels[i] = x[i * 8 + from] + x[i * 8 + from + 1] > 0 ? 1 : 0;
        }
        return Dataset.of(NdArray.of(x, rows, 8), NdArray.of(labels, rows));
    }

    private static Trainer trainer(Optimizer optimizer, Loss loss) {
        return Trainer.of(Sequential.of(dense(24).tanh(), dense(2)), optimizer, loss)
                .metrics(accuracy())
                .seed(2)
                .cores(1);
    }

    private Path learned() {
        Path path = folder.resolve("old");
        try (Trainer trainer = trainer(adam(0.02), softmaxCrossEntropy())) {
            trainer.fit(OLD.shuffle(1).batch(32), Fit.epochs(8).quiet());
            trainer.save(path);
        }
        return path;
    }

    /** The accuracy on the old and on the new task after the new one was learned. */
    private double[] after(Path old, Optimizer optimizer, Loss loss, Dataset data) {
        try (Trainer trainer = trainer(optimizer, loss)) {
            trainer.build(data);
            Adoption.from(old).into(trainer.model());
            trainer.fit(data.shuffle(1).batch(32), Fit.epochs(6).quiet());
            return new double[] {
                trainer.evaluate(OLD).get("accuracy"), trainer.evaluate(NEW).get("accuracy")
            };
        }
    }

    @Test
    void consolidationAndDistillationForgetLess() {
        Path old = learned();
        Path file = folder.resolve("importance.safetensors");
        try (SavedModel saved = SavedModel.load(old)) {
            ParameterImportance.write(saved.model(), softmaxCrossEntropy(), OLD, 300, file);
        }
        double[] plain = after(old, adam(0.01), softmaxCrossEntropy(), NEW);
        double[] held = after(
                old, adam(0.01).consolidation(new Consolidation(file.toString(), 100)), softmaxCrossEntropy(), NEW);
        double[] taught = after(
                old,
                adam(0.01),
                DistilledLoss.of(softmaxCrossEntropy(), 0.6, 2),
                Dataset.of(TaughtSource.of(NEW, old)));
        assertThat(plain[0]).as("the fault bites").isLessThan(0.8);
        assertThat(held[0]).isGreaterThan(plain[0] + 0.05);
        assertThat(taught[0]).isGreaterThan(plain[0] + 0.05);
        assertThat(held[1]).isGreaterThan(0.7);
        assertThat(taught[1]).isGreaterThan(0.6);
    }

    /** The plain twin: one step of gradient descent with {@code strength * importance * (value - anchor)} in the gradient. */
    @Test
    void thePullIsPartOfTheGradient() {
        Path file = folder.resolve("importance.safetensors");
        Dataset data = Dataset.of(NdArray.of(new float[] {1, 2, 3, 4}, 2, 2), NdArray.of(new float[] {1, -1}, 2, 1));
        try (Model anchor = Model.of(
                Sequential.of(dense(1).noBias()), Model.Options.DEFAULT.seed(1), java.util.List.of(Input.of(2)))) {
            ParameterImportance.write(anchor, mse(), data, 2, file);
        }
        NdArray earlier = TensorFile.open(file).array("anchor/dense1.weight");
        NdArray importance = TensorFile.open(file).array("importance/dense1.weight");
        float[] plain = oneStep(data, sgd(0.1));
        float[] pulled = oneStep(data, sgd(0.1).consolidation(new Consolidation(file.toString(), 0.01)));
        float[] start = oneStep(data, sgd(0));
        for (int i = 0; i < 2; i++) {
            double expected = plain[i] - 0.1 * 0.01 * importance.at(i) * (start[i] - earlier.at(i));
            assertThat((double) pulled[i]).isCloseTo(expected, within(1e-5));
            assertThat(pulled[i]).isNotEqualTo(plain[i]);
        }
    }

    private static float[] oneStep(Dataset data, Optimizer optimizer) {
        try (Trainer trainer = Trainer.of(Sequential.of(dense(1).noBias()), optimizer, mse())
                .seed(5)
                .cores(1)) {
            trainer.build(data);
            Model model = trainer.model();
            model.load(java.util.Map.of("dense1.weight", NdArray.of(new float[] {0.3f, -0.2f}, 1, 2)), "the test");
            trainer.fit(data.batch(2), Fit.epochs(1).quiet());
            return model.arrays().get("dense1.weight").floats().clone();
        }
    }

    @Test
    void whatDoesNotFitIsRefused() {
        assertThatThrownBy(() -> oneStep(
                        Dataset.of(NdArray.of(new float[] {1, 2}, 1, 2), NdArray.of(new float[] {1}, 1, 1)),
                        sgd(0.1).consolidation(
                                        new Consolidation(folder.resolve("none").toString(), 1))))
                .hasMessageContaining("cannot be read");
        assertThatThrownBy(() -> DistilledLoss.of(softmaxCrossEntropy(), 1.5, 2))
                .hasMessageContaining("from 0 to 1");
    }
}
