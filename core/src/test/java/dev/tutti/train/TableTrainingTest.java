package dev.tutti.train;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.embedding;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.optim.Optimizers.sgd;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.checkpoint;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.comm.Team;
import dev.tutti.data.Dataset;
import dev.tutti.json.Json;
import dev.tutti.nn.Embedding;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.checkpoint.SavedModel;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Embeddings whose rows are in a table of this process. */
class TableTrainingTest {
    private static final int IDS = 40;
    private static final int WIDTH = 4;

    @TempDir
    private Path folder;

    /** Two ids in a row; the label says whether their sum is even. */
    private static Dataset data() {
        SplittableRandom random = new SplittableRandom(3);
        long[] ids = new long[400];
        long[] labels = new long[200];
        for (int row = 0; row < labels.length; row++) {
            ids[2 * row] = random.nextInt(IDS);
            ids[2 * row + 1] = random.nextInt(IDS);
            labels[row] = (ids[2 * row] + ids[2 * row + 1]) % 2;
        }
        return Dataset.of(NdArray.of(ids, 200, 2), NdArray.of(labels, 200)).batch(16);
    }

    private static Sequential model(Embedding embedding) {
        return Sequential.of(embedding, flatten(), dense(12).tanh(), dense(2));
    }

    private static Trainer trainer(Embedding embedding, Optimizer optimizer) {
        return Trainer.of(model(embedding), optimizer, softmaxCrossEntropy())
                .metrics(accuracy())
                .seed(5)
                .cores(1);
    }

    private static float[] rows(Trainer trainer) {
        return trainer.model()
                .tables()
                .all()
                .get(0)
                .read(LongStream.range(0, IDS).toArray());
    }

    /** The plain twin: the same embedding as a matrix, which begins with the rows of the table. */
    @Test
    void aTableTrainsAsAMatrixDoes() {
        Optimizer optimizer = sgd(0.2).clipNorm(0.5);
        try (Trainer table = trainer(embedding(IDS, WIDTH).table(), optimizer);
                Trainer matrix = trainer(embedding(IDS, WIDTH), optimizer)) {
            table.build(data());
            Map<String, NdArray> first = new HashMap<>(matrix.build(data()).arrays());
            first.put("embedding1.weight", NdArray.of(rows(table), IDS, WIDTH));
            matrix.model().load(first, "test");
            table.fit(data(), epochs(3).accumulate(2));
            matrix.fit(data(), epochs(3).accumulate(2));
            float[] expected = matrix.model().arrays().get("embedding1.weight").floats();
            float[] received = rows(table);
            for (int i = 0; i < expected.length; i++) {
                assertThat(received[i]).isCloseTo(expected[i], Offset.offset(1e-5f));
            }
            assertThat(table.model().vector().size())
                    .as("rows are not in the vector")
                    .isEqualTo(matrix.model().vector().size() - IDS * WIDTH);
        }
    }

    @Test
    void anyIdsAndHashedIdsLearn() {
        for (Embedding embedding :
                List.of(embedding(0, 8).table(), embedding(0, 8).hashed(1000))) {
            try (Trainer trainer = trainer(embedding, adam(0.02))) {
                trainer.fit(data(), epochs(30));
                assertThat(trainer.evaluate(data()).metrics().get("accuracy")).isGreaterThan(0.95);
            }
        }
    }

    @Test
    void cutAndGoneOnWithGivesTheSameRowsAndSavedModelsHoldThem() {
        Embedding embedding = embedding(IDS, WIDTH).table();
        try (Trainer whole = trainer(embedding, adam(0.01));
                Trainer cut = trainer(embedding, adam(0.01));
                Trainer goesOn = trainer(embedding, adam(0.01))) {
            whole.fit(data(), epochs(3));
            Callback stopper = new Callback() {
                @Override
                public void step(Run run) {
                    if (run.step() == 17) {
                        run.stop("cut");
                    }
                }
            };
            cut.fit(data(), epochs(3).callbacks(stopper, checkpoint(folder.resolve("checkpoints"))));
            assertThat(rows(cut)).isNotEqualTo(rows(whole));
            goesOn.fit(data(), epochs(3).resume(folder.resolve("checkpoints")));
            assertThat(rows(goesOn)).isEqualTo(rows(whole));
            whole.save(folder.resolve("model"));
            try (SavedModel saved = SavedModel.load(folder.resolve("model"))) {
                NdArray ids = NdArray.of(new long[] {1, 2, 3, 4}, 2, 2);
                assertThat(saved.model().predict(ids)).isEqualTo(whole.model().predict(ids));
            }
        }
    }

    @Test
    void paddingIsZeroAndStaysSo() {
        Model model = Model.of(Sequential.of(embedding(9, 3).paddingId(0).table()), Input.ids(2));
        try (model) {
            float[] row = model.predict(NdArray.of(new long[] {0, 5}, 1, 2)).floats();
            assertThat(row).startsWith(0, 0, 0);
            assertThat(row[3]).isNotZero();
            assertThatThrownBy(() -> model.predict(NdArray.of(new long[] {1, 9}, 1, 2)))
                    .hasMessageContaining("received the id 9, but its vocabulary is 9");
        }
    }

    @Test
    void aTableIsASettingInFiles() {
        Layer layer = Json.read("{\"type\": \"embedding\", \"width\": 3, \"hashed\": 100}", Layer.class, "test");
        try (Model model = Model.of(Sequential.of(layer), Input.ids(1))) {
            assertThat(model.tables().specs()).hasSize(1);
            assertThat(model.vector().size()).isZero();
        }
    }

    @Test
    void aStrategyThatCannotTrainTablesRefusesThem() {
        Strategy other = new Strategy() {
            @Override
            public Replica replica(Model model, TrainingConfig recipe, Team team, Timing timing) {
                return Strategy.local().replica(model, recipe, team, timing);
            }
        };
        try (Trainer trainer = trainer(embedding(IDS, WIDTH).table(), sgd(0.1))) {
            assertThatThrownBy(() -> trainer.fit(data(), epochs(1).with(other)))
                    .hasMessageContaining("embedding1 keeps its rows in a table");
        }
    }
}
