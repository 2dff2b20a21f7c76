package dev.tutti.train.worker;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.batchNorm;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.embedding;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.nn.Layers.globalAvgPool1d;
import static dev.tutti.nn.Layers.reshape;
import static dev.tutti.optim.Optimizers.adam;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;
import dev.tutti.comm.Team;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizer;
import dev.tutti.train.Blobs;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.StepInput;
import dev.tutti.train.replica.StepPlan;
import dev.tutti.train.replica.StepResult;
import dev.tutti.train.replica.Strategy;
import dev.tutti.train.replica.Vote;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LocalWorkersTest {
    private static final int STEPS = 6;
    private static final Layer PLAIN = Sequential.of(dense(16).tanh(), dense(Blobs.CLASSES));

    @Test
    void oneWorkerGivesTheBitsOfAWorkerOnItsOwn() {
        for (Optimizer optimizer : optimizers()) {
            TrainingConfig recipe = recipe(optimizer);
            Model alone = model();
            Model shared = model();
            try (alone;
                    shared;
                    Replica replica = Strategy.local().replica(alone, recipe, Team.alone(1), new Timing());
                    LocalWorkers workers = new LocalWorkers(shared, recipe, 1)) {
                for (int step = 0; step < STEPS; step++) {
                    Batch batch = batches().get(step);
                    StepInput input = StepInput.of(new Vote(true, false, false), batch);
                    double loss = replica.step(new StepPlan(step, 0.01), input).loss();
                    StepResult result = backward(workers, batch, new LocalWorkers.Turn(step, 0, 0, batch.size()));
                    workers.update(0.01, 1);
                    assertThat(result.loss() * result.size() / result.size()).isEqualTo(loss); // as a mean is made
                }
                assertThat(shared.arrays()).isEqualTo(alone.arrays());
            }
        }
    }

    @Test
    void severalWorkersClipByTheLengthOfTheWholeVector() {
        for (Optimizer optimizer : optimizers()) {
            Map<String, NdArray> one = weights(optimizer, 1, false);
            for (boolean later : new boolean[] {false, true}) {
                weights(optimizer, 3, later).forEach((name, array) -> {
                    for (int i = 0; i < array.size(); i++) {
                        assertThat(array.floats()[i])
                                .as(name)
                                .isCloseTo(one.get(name).floats()[i], within(1e-3f));
                    }
                });
            }
        }
    }

    @Test
    void anUpdateThatBeginsBeforeAllAreDoneComesToTheSameBits() {
        for (Optimizer optimizer : optimizers()) {
            for (int workers = 1; workers <= 3; workers++) {
                assertThat(wideWeights(optimizer, workers, true)).isEqualTo(wideWeights(optimizer, workers, false));
            }
        }
    }

    /** Of a model most of which is one large weight, and some of which does not learn for a while. */
    private static Map<String, NdArray> wideWeights(Optimizer optimizer, int count, boolean early) {
        Layer wide = Sequential.of(dense(300).relu(), dense(300).relu(), dense(Blobs.CLASSES));
        try (Model model = Model.of(wide, Input.of(4));
                LocalWorkers workers = new LocalWorkers(model, recipe(optimizer), count)) {
            model.freeze("dense2.bias");
            for (int step = 0; step < STEPS; step++) {
                Batch batch = batches().get(step);
                LocalWorkers.Turn turn = new LocalWorkers.Turn(step, 0, 0, 64);
                double factor = 64.0 / batch.size();
                workers.backward(batch, turn, early ? BackwardOverlap.update(0.01, factor) : BackwardOverlap.NONE);
                workers.update(0.01, factor);
                if (step == STEPS / 2) {
                    model.unfreeze("dense2.bias");
                }
            }
            return model.arrays();
        }
    }

    @Test
    void noRowsGiveNoGradients() {
        try (Model model = model();
                LocalWorkers workers = new LocalWorkers(model, recipe(adam(0.01)), 2)) {
            Batch batch = batches().get(0);
            backward(workers, batch, new LocalWorkers.Turn(0, 0, 0, batch.size()));
            Batch none = new Batch(
                    List.of(batch.features().get(0).rows(0, 0)),
                    List.of(batch.labels().get(0).rows(0, 0)),
                    0);
            StepResult result = backward(workers, none, new LocalWorkers.Turn(1, 0, 0, 8));
            assertThat(result.size()).isZero();
            assertThat(model.vector().gradients().toArray().floats()).containsOnly(0f);
        }
    }

    @Test
    void aWorkerWithoutRowsHasNoSayInRunningStatistics() {
        Layer normed = Sequential.of(reshape(1, 2, 2), batchNorm(), flatten(), dense(Blobs.CLASSES));
        Batch batch = batches().get(0);
        Batch single = new Batch(
                List.of(batch.features().get(0).rows(0, 1)),
                List.of(batch.labels().get(0).rows(0, 1)),
                1);
        List<Map<String, NdArray>> results = new ArrayList<>();
        for (int count = 1; count <= 3; count++) {
            try (Model model = Model.of(normed, Input.of(4));
                    LocalWorkers workers = new LocalWorkers(model, recipe(adam(0.01)), count)) {
                backward(workers, single, new LocalWorkers.Turn(0, 0, 0, 1));
                workers.update(0.01, 1);
                results.add(model.arrays());
            }
        }
        assertThat(results.get(1)).isEqualTo(results.get(0));
        assertThat(results.get(2)).isEqualTo(results.get(0));
    }

    @Test
    void whatAWorkerFailsWithComesOutAlsoWhenOthersWaitForIt() {
        Layer normed = Sequential.of(embedding(4, 8), globalAvgPool1d(), batchNorm(), dense(Blobs.CLASSES));
        try (Model model = Model.of(normed, Input.ids(3));
                LocalWorkers workers = new LocalWorkers(model, recipe(adam(0.01)), 2)) {
            workers.shareBatches(total -> {});
            Batch batch = new Batch(
                    List.of(NdArray.of(
                            new long[] {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 99}, 4, 3)), // the second one's is wrong
                    List.of(NdArray.of(new long[] {0, 1, 0, 1}, 4)),
                    4);
            assertThatThrownBy(() -> backward(workers, batch, new LocalWorkers.Turn(0, 0, 0, 4)))
                    .hasMessageContaining("received the id 99");
        }
    }

    private static StepResult backward(LocalWorkers workers, Batch batch, LocalWorkers.Turn turn) {
        return workers.backward(batch, turn, BackwardOverlap.NONE);
    }

    /** {@code later}: gradients are sums until the update divides them. */
    private static Map<String, NdArray> weights(Optimizer optimizer, int count, boolean later) {
        try (Model model = Model.of(PLAIN, Input.of(4));
                LocalWorkers workers = new LocalWorkers(model, recipe(optimizer), count)) {
            for (int step = 0; step < STEPS; step++) {
                Batch batch = batches().get(step);
                backward(workers, batch, new LocalWorkers.Turn(step, 0, 0, later ? 1 : batch.size()));
                workers.update(0.01, later ? 1.0 / batch.size() : 1);
            }
            return model.arrays();
        }
    }

    private static List<Optimizer> optimizers() {
        return List.of(
                adam(0.01),
                adam(0.01).clipNorm(0.05),
                adam(0.01).clipValue(0.01),
                adam(0.01).clipNorm(0.05).clipValue(0.02));
    }

    private static TrainingConfig recipe(Optimizer optimizer) {
        return new TrainingConfig(optimizer, softmaxCrossEntropy(), List.of(), 0, 5);
    }

    private static Model model() {
        return Model.of(Blobs.model(), Input.of(4));
    }

    /** Of a size by which nothing divides evenly. */
    private static List<Batch> batches() {
        List<Batch> batches = new ArrayList<>();
        try (BatchReader reader = Blobs.data(49 * STEPS).batch(49).open(0)) {
            reader.forEach(batches::add);
        }
        return batches;
    }
}
