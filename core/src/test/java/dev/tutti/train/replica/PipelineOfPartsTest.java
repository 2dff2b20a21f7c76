package dev.tutti.train.replica;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.conv2d;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.dropout;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.nn.Layers.maxPool2d;
import static dev.tutti.nn.Layers.transformerEncoder;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.memory.MemoryCollectives;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Model;
import dev.tutti.nn.ModelPlan;
import dev.tutti.nn.RecordedPass;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Update;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FusedUpdate;
import dev.tutti.train.Trainer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two members that each build a part of one model and train it as a pipeline of two micro-batches come to the parameters of local
 * training with {@code accumulate(2)}, dropout included.
 *
 * <p>Forward and backward passes are the same bits. The optimizer's kernels compute what does not fill a vector register to other last
 * bits, so parameters are the same bits where the first part ends at a multiple of {@link FusedUpdate#BLOCK}, and else within 1e-6.
 */
class PipelineOfPartsTest {
    private static final int EPOCHS = 3;
    private static final int MICRO_BATCHES = 2;
    private static final int ROWS = 8;
    private static final int STEPS_PER_EPOCH = 3;
    private static final int SAMPLES = ROWS * MICRO_BATCHES * STEPS_PER_EPOCH;
    private static final long SEED = 21;
    private static final double RATE = 0.01;

    /**
     * A model, and where it is cut.
     *
     * @param cut the first layer of the second part
     * @param exact whether the first part ends at a multiple of {@link FusedUpdate#BLOCK}
     */
    record Case(String name, Sequential definition, Shape sample, int cut, boolean exact) {
        ModelPlan plan() {
            return ModelPlan.of(
                    definition, Model.Options.DEFAULT.seed(SEED), List.of(new Input(sample, DType.FLOAT32)));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        Sequential dense = Sequential.of(
                dense(320).relu(), // its square is a large gradient, which is written straight into the vector
                dropout(0.3),
                dense(320).tanh(),
                dropout(0.2),
                dense(320).relu(),
                dropout(0.4),
                dense(3));
        Sequential images = Sequential.of(
                conv2d(8, 3).relu(),
                maxPool2d(2),
                dropout(0.2),
                conv2d(6, 2).relu(),
                maxPool2d(2),
                flatten(),
                dropout(0.5),
                dense(3));
        Sequential sequences = Sequential.of(
                transformerEncoder(4).inner(64).dropout(0.1),
                transformerEncoder(4).inner(64).dropout(0.1),
                flatten(),
                dense(3));
        return Stream.of(
                new Case("dense layers", dense, Shape.of(63), 4, true),
                new Case("dense layers, cut before a dropout", dense, Shape.of(63), 3, true),
                new Case("images", images, Shape.of(2, 12, 12), 3, false),
                new Case("sequences", sequences, Shape.of(5, 32), 1, true));
    }

    private final ExecutorService threads = Executors.newFixedThreadPool(2, work -> {
        Thread thread = new Thread(work, "pipeline-member");
        thread.setDaemon(true);
        return thread;
    });

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void equalsLocalTrainingWithAccumulation(Case c) throws Exception {
        NdArray features = features(c.sample);
        NdArray labels = labels();
        Map<String, NdArray> expected = local(c, features, labels);
        Map<String, NdArray> actual = pipeline(c, features, labels);
        assertThat(actual.keySet()).isEqualTo(expected.keySet());
        ModelPlan first = c.plan().part(Range.between(0, c.cut));
        long boundary =
                first.parameters().get(first.parameters().size() - 1).range().to();
        assertThat(boundary % FusedUpdate.BLOCK == 0).as("ends at %d", boundary).isEqualTo(c.exact);
        Map<String, NdArray> begin = new LinkedHashMap<>();
        try (Model model = c.plan().build()) {
            begin.putAll(model.arrays());
        }
        for (String name : expected.keySet()) {
            assertThat(expected.get(name)).as("%s has learned", name).isNotEqualTo(begin.get(name));
            if (c.exact) {
                assertThat(actual.get(name)).as(name).isEqualTo(expected.get(name));
            } else {
                assertThat(actual.get(name).floats())
                        .as(name)
                        .containsExactly(expected.get(name).floats(), within(1e-6f));
            }
        }
    }

    /** Without the random numbers of the whole the parts would come to something else: the comparison can fail. */
    @ParameterizedTest
    @MethodSource("cases")
    void noticesOtherRandomNumbers(Case c) throws Exception {
        NdArray features = features(c.sample);
        Map<String, NdArray> expected = pipeline(c, features, labels(), SEED);
        assertThat(pipeline(c, features, labels(), SEED + 1)).isNotEqualTo(expected);
    }

    private static Map<String, NdArray> local(Case c, NdArray features, NdArray labels) {
        try (Trainer trainer = Trainer.of((Layer) c.definition, adam(RATE), softmaxCrossEntropy())
                .seed(SEED)
                .cores(1)) {
            trainer.fit(Dataset.of(features, labels).batch(ROWS), epochs(EPOCHS).accumulate(MICRO_BATCHES));
            return trainer.model().arrays();
        }
    }

    private Map<String, NdArray> pipeline(Case c, NdArray features, NdArray labels) throws Exception {
        return pipeline(c, features, labels, SEED);
    }

    private Map<String, NdArray> pipeline(Case c, NdArray features, NdArray labels, long randomSeed) throws Exception {
        List<Collectives> members = MemoryCollectives.among(2, Duration.ofSeconds(30));
        Future<Map<String, NdArray>> first = threads.submit(() -> {
            try (Stage stage = new Stage(c.plan().part(Range.between(0, c.cut)), members.get(0), randomSeed)) {
                return stage.first(features);
            }
        });
        Future<Map<String, NdArray>> second = threads.submit(() -> {
            int layers = c.definition.layers().size();
            try (Stage stage = new Stage(c.plan().part(Range.between(c.cut, layers)), members.get(1), randomSeed)) {
                return stage.second(labels);
            }
        });
        Map<String, NdArray> all = new LinkedHashMap<>(first.get(60, TimeUnit.SECONDS));
        all.putAll(second.get(60, TimeUnit.SECONDS));
        members.forEach(Collectives::close);
        return all;
    }

    /** What one member does: all micro-batches forward, then all backward. */
    private static final class Stage implements AutoCloseable {
        private final Model model;
        private final Update update;
        private final Collectives members;
        private final long randomSeed;

        Stage(ModelPlan plan, Collectives members, long randomSeed) {
            Engine.useThreads(1);
            this.members = members;
            this.randomSeed = randomSeed;
            model = plan.build();
            model.training(true);
            update = adam(RATE).bind(LocalReplica.target(model));
        }

        Map<String, NdArray> first(NdArray features) {
            for (int step = 0; step < EPOCHS * STEPS_PER_EPOCH; step++) {
                try (Scope scope = Scope.open()) {
                    List<RecordedPass> passes = new ArrayList<>();
                    for (int i = 0; i < MICRO_BATCHES; i++) {
                        RecordedPass pass = forward(
                                step,
                                i,
                                Tensor.of(
                                        features, rows(step, i), model.options().device()));
                        passes.add(pass);
                        members.send(
                                "activations", pass.outputs().get(0).detach().contiguous(), 1);
                    }
                    for (int i = 0; i < MICRO_BATCHES; i++) {
                        Tensor gradient = Tensor.zeros(
                                passes.get(i).outputs().get(0).shape(),
                                model.options().type());
                        members.receive("gradients", gradient, 1);
                        passes.get(i).backward(List.of(gradient), i > 0);
                        weigh(i);
                    }
                    move();
                }
            }
            return model.arrays();
        }

        Map<String, NdArray> second(NdArray labels) {
            for (int step = 0; step < EPOCHS * STEPS_PER_EPOCH; step++) {
                try (Scope scope = Scope.open()) {
                    List<RecordedPass> passes = new ArrayList<>();
                    for (int i = 0; i < MICRO_BATCHES; i++) {
                        Tensor x = Tensor.zeros(
                                model.inputs().get(0).shape().prepend(ROWS),
                                model.options().type());
                        members.receive("activations", x, 0);
                        passes.add(forward(step, i, x));
                    }
                    for (int i = 0; i < MICRO_BATCHES; i++) {
                        RecordedPass pass = passes.get(i);
                        Tensor target =
                                Tensor.of(labels, rows(step, i), model.options().device());
                        Tensor loss = softmaxCrossEntropy().compute(pass.outputs(), List.of(target));
                        pass.backward(i == 0 ? loss : loss.mul(ROWS), i > 0);
                        members.send(
                                "gradients", pass.inputGradient(0).orElseThrow().contiguous(), 0);
                        weigh(i);
                    }
                    move();
                }
            }
            return model.arrays();
        }

        /** Micro-batches are told apart by their number, as the batches of a local step are. */
        private RecordedPass forward(int step, int microBatch, Tensor x) {
            model.restartRandomness(randomSeed, step, microBatch, 0);
            return model.recordWithInputGradients(List.of(x));
        }

        /** A local worker weighs the first batch by its rows when a second one comes. */
        private void weigh(int microBatch) {
            if (microBatch == 0) {
                try (NoGradients off = NoGradients.begin()) {
                    model.vector().gradients().mul_(ROWS);
                }
            }
        }

        private void move() {
            try (NoGradients off = NoGradients.begin()) {
                model.vector().gradients().mul_(1.0 / (MICRO_BATCHES * ROWS));
            }
            update.apply(RATE);
        }

        @Override
        public void close() {
            update.close();
            model.close();
        }
    }

    private static Range rows(int step, int microBatch) {
        return new Range((long) (step % STEPS_PER_EPOCH * MICRO_BATCHES + microBatch) * ROWS, ROWS);
    }

    private static NdArray features(Shape sample) {
        SplittableRandom random = new SplittableRandom(5);
        float[] values = new float[Math.toIntExact(sample.size() * SAMPLES)];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) (random.nextDouble() * 2 - 1);
        }
        return NdArray.of(values, sample.prepend(SAMPLES).toArray());
    }

    private static NdArray labels() {
        SplittableRandom random = new SplittableRandom(6);
        long[] labels = new long[SAMPLES];
        for (int i = 0; i < SAMPLES; i++) {
            labels[i] = random.nextInt(3);
        }
        return NdArray.of(labels, SAMPLES);
    }
}
