package dev.tutti.train;

import static dev.tutti.loss.Losses.mse;
import static dev.tutti.loss.Losses.perOutput;
import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.nn.Layers.concatenate;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.optim.Optimizers.sgd;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.TuttiException;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Graph;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Callbacks;
import dev.tutti.train.callback.Run;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TrainerTest {
    @Test
    void learns() {
        try (Trainer trainer = Blobs.trainer()) {
            History history =
                    trainer.fit(Blobs.data(600).shuffle(7).batch(32), epochs(5).validate(Blobs.data(300, 2)));
            assertThat(history.epochs()).hasSize(5);
            assertThat(history.ending()).isEqualTo(History.Ending.COMPLETED);
            assertThat(history.last().measured().get("accuracy")).isGreaterThan(0.99);
            assertThat(history.last().training().loss())
                    .isLessThan(history.epochs().get(0).training().loss());
            assertThat(history.last().steps()).isEqualTo(5 * 19);
            assertThat(history.last().training().samples()).isEqualTo(600);
        }
    }

    @Test
    void evaluatesAllSamplesWhateverTheBatchSize() {
        try (Trainer trainer = Blobs.trainer()) {
            trainer.fit(Blobs.data(200).batch(20), epochs(2));
            Evaluation whole = trainer.evaluate(Blobs.data(101, 5).batch(101));
            Evaluation parts = trainer.evaluate(Blobs.data(101, 5).batch(7));
            assertThat(parts.samples()).isEqualTo(101);
            assertThat(parts.metrics()).isEqualTo(whole.metrics());
            assertThat(parts.loss()).isCloseTo(whole.loss(), within(1e-6));
        }
    }

    @Test
    void predictsOneRowForEachSample() {
        try (Trainer trainer = Blobs.trainer()) {
            trainer.fit(Blobs.data(60).batch(20), epochs(1));
            NdArray batch = NdArray.of(new float[5 * 4], 5, 4);
            NdArray outputs = trainer.predict(batch);
            assertThat(outputs.shape()).isEqualTo(Shape.of(5, Blobs.CLASSES));
            assertThat(trainer.predict(batch)).as("dropout is off").isEqualTo(outputs);
            assertThat(trainer.predict(Blobs.data(61).batch(20)).shape()).isEqualTo(Shape.of(61, Blobs.CLASSES));
        }
    }

    @Test
    void accumulatedBatchesEqualOneLargeBatch() {
        Map<String, NdArray> large = weightsAfter(Blobs.data(96).batch(24), epochs(3));
        Map<String, NdArray> small =
                weightsAfter(Blobs.data(96).batch(6), epochs(3).accumulate(4));
        Map<String, NdArray> uneven =
                weightsAfter(Blobs.data(96).batch(16), epochs(3).accumulate(7));
        Map<String, NdArray> all = weightsAfter(Blobs.data(96).batch(96), epochs(3));
        assertClose(small, large);
        assertClose(uneven, all);
    }

    private static Map<String, NdArray> weightsAfter(Dataset data, Fit fit) {
        // Without dropout: its draws belong to batches.
        try (Trainer trainer = Trainer.of(
                        Sequential.of(dense(8).tanh(), dense(Blobs.CLASSES)),
                        sgd(0.1).momentum(0.9),
                        softmaxCrossEntropy())
                .cores(1)) {
            trainer.fit(data, fit);
            return trainer.model().arrays();
        }
    }

    private static void assertClose(Map<String, NdArray> actual, Map<String, NdArray> expected) {
        expected.forEach((name, array) -> {
            for (int i = 0; i < array.size(); i++) {
                assertThat(actual.get(name).at(i)).as(name).isCloseTo(array.at(i), within(1e-5));
            }
        });
    }

    @Test
    void trainsSeveralInputsAndOutputs() {
        Graph graph = Graph.inputs("a", "b")
                .add("seenA", dense(4).relu(), "a")
                .add("seenB", dense(4).relu(), "b")
                .add("both", concatenate(), "seenA", "seenB")
                .add("kind", dense(2), "both")
                .add("size", dense(1), "both")
                .outputs("kind", "size");
        int rows = 64;
        float[] a = new float[rows * 2];
        float[] b = new float[rows];
        long[] kind = new long[rows];
        float[] size = new float[rows];
        for (int i = 0; i < rows; i++) {
            a[2 * i] = i % 2;
            b[i] = i % 4;
            kind[i] = i % 2;
            size[i] = i % 4;
        }
        Dataset data = Dataset.of(
                List.of(NdArray.of(a, rows, 2), NdArray.of(b, rows, 1)),
                List.of(NdArray.of(kind, rows), NdArray.of(size, rows, 1)));
        try (Trainer trainer = Trainer.of(graph, adam(0.03), perOutput(softmaxCrossEntropy(), mse()))
                .metrics(accuracy())
                .cores(1)) {
            History history = trainer.fit(data.batch(16), epochs(60));
            assertThat(history.last().training().loss()).isLessThan(0.1);
            assertThat(history.last().training().get("accuracy")).isEqualTo(1.0);
        }
    }

    @Test
    void theMovingAverageIsEvaluatedAndLeftInTheModel() {
        try (Trainer trainer = Blobs.trainer().movingAverage(0.9)) {
            Dataset test = Blobs.data(300, 2);
            History history = trainer.fit(Blobs.data(300).batch(30), epochs(3).validate(test));
            assertThat(trainer.evaluate(test).loss())
                    .isEqualTo(history.last().measured().loss());
        }
    }

    @Test
    void anExceptionInACallbackComesOutAndOthersHearOfIt() {
        Callback bad = new Callback() {
            @Override
            public void step(Run run) {
                if (run.step() == 3) {
                    throw new IllegalStateException("the callback's own fault");
                }
            }
        };
        var heard = new java.util.concurrent.atomic.AtomicReference<Throwable>();
        Callback watching = new Callback() {
            @Override
            public void end(Run run, Optional<Throwable> failure) {
                heard.set(failure.orElseThrow());
            }
        };
        try (Trainer trainer = Blobs.trainer()) {
            assertThatThrownBy(() ->
                            trainer.fit(Blobs.data(60).batch(10), epochs(1).callbacks(bad, watching)))
                    .hasMessage("the callback's own fault");
            assertThat(heard.get()).hasMessage("the callback's own fault");
        }
    }

    @Test
    void saysWhatIsWrong() {
        try (Trainer trainer = Blobs.trainer()) {
            NdArray features = NdArray.of(new float[8], 2, 4);
            assertThatThrownBy(() -> trainer.fit(
                            Dataset.of(features, NdArray.of(new long[] {1, 7}, 2))
                                    .batch(2),
                            epochs(1)))
                    .isInstanceOf(TuttiException.class)
                    .hasMessageContaining("7")
                    .hasMessageContaining("3 classes");
            assertThatThrownBy(() -> trainer.predict(NdArray.of(new float[6], 2, 3)))
                    .isInstanceOf(TuttiException.class)
                    .hasMessageContaining("[4]")
                    .hasMessageContaining("[2, 3]");
            assertThatThrownBy(() -> trainer.seed(4)).hasMessageContaining("before the model is built");
        }
        assertThatThrownBy(() -> epochs(0)).hasMessage("expected at least 1 epoch, received 0");
        assertThatThrownBy(() -> Blobs.trainer().model()).hasMessageContaining("call fit or build before");
    }

    @Test
    void aLossThatIsNoNumberStopsTheRun() {
        try (Trainer trainer =
                Trainer.of(Sequential.of(dense(1)), sgd(1e30), mse()).cores(1)) {
            Dataset data = Dataset.of(NdArray.of(new float[] {1, 2, 3, 4}, 4, 1), NdArray.of(new float[4], 4, 1));
            assertThatThrownBy(() -> trainer.fit(data.batch(1), epochs(3).callbacks(Callbacks.stopOnNan())))
                    .isInstanceOf(TrainingException.class)
                    .hasMessageStartingWith("the loss became")
                    .hasMessageContaining("epoch 1")
                    .hasMessageContaining("learning rate of 1.0E30");
        }
    }

    @Test
    void settingsLeaveATrainerAsItIs() {
        try (Trainer plain = Trainer.of(Blobs.model(), adam(0.01), softmaxCrossEntropy());
                Trainer seeded = plain.seed(9).movingAverage(0.5).metrics(accuracy())) {
            assertThat(plain.config())
                    .isEqualTo(TrainingConfig.of(
                            plain.config().optimizer(), plain.config().loss()));
            assertThat(seeded.config().seed()).isEqualTo(9);
            assertThat(seeded.config().movingAverage()).isEqualTo(0.5);
            assertThat(seeded.config().metrics()).hasSize(1);
            plain.build(Blobs.data(10));
            seeded.build(Blobs.data(10));
            assertThat(plain.model()).isNotSameAs(seeded.model());
            assertThat(plain.model().arrays()).isNotEqualTo(seeded.model().arrays());
        }
    }

    @Test
    void aModelThatWasGivenStaysTheCallers() {
        try (Trainer first = Blobs.trainer()) {
            first.fit(Blobs.data(60).batch(10), epochs(1));
            Model model = first.model();
            try (Trainer second =
                    Trainer.of(model, adam(0.01), softmaxCrossEntropy()).seed(3).cores(1)) {
                assertThat(second.model()).isSameAs(model);
                second.fit(Blobs.data(60).batch(10), epochs(1));
            }
            assertThat(first.predict(NdArray.of(new float[4], 1, 4)).shape()).hasToString("[1, 3]");
        }
    }

    @Test
    void aModelThatTheTrainerBuiltIsClosedWithIt() {
        Trainer trainer = Blobs.trainer();
        Model model = trainer.build(Blobs.data(10));
        trainer.close();
        assertThatThrownBy(() -> model.vector().values().sum()).isInstanceOf(IllegalStateException.class);
    }
}
