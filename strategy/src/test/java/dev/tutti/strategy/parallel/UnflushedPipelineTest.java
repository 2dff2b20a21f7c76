package dev.tutti.strategy.parallel;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.optim.Optimizers.sgd;
import static dev.tutti.strategy.Strategies.parallel;
import static dev.tutti.strategy.TestingCluster.killing;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.checkpoint;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Model;
import dev.tutti.nn.RecordedPass;
import dev.tutti.strategy.Members;
import dev.tutti.strategy.TestingCluster;
import dev.tutti.strategy.Weights;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Stages that move without a flush come to what one machine with gradients that are one update late does. */
@Timeout(120)
class UnflushedPipelineTest {
    private static final int ROWS = 84;
    private static final double RATE = 0.2;

    private static Dataset data(ParallelModels model) {
        return model.data(ROWS).batch(16);
    }

    /** A slow twin: two copies of the weights, of which each step uses and renews one; an epoch begins with two fresh ones. */
    private static Map<String, NdArray> late(ParallelModels kind, int epochs) {
        try (Trainer trainer = kind.trainer();
                Scope scope = Scope.open()) {
            Model model = trainer.build(data(kind));
            model.training(true);
            Tensor newest = model.vector().values().copy();
            for (int epoch = 0; epoch < epochs; epoch++) {
                Tensor[] copies = {newest.copy(), newest.copy()};
                int step = 0;
                try (BatchReader reader = data(kind).open(epoch)) {
                    for (Optional<Batch> next = reader.next(); next.isPresent(); next = reader.next()) {
                        Tensor copy = copies[step++ % 2];
                        write(copy, model.vector().values());
                        gradients(model, next.get());
                        try (NoGradients off = NoGradients.begin()) {
                            newest.add_(model.vector().gradients().mul(-RATE));
                            copy.copy_(newest);
                        }
                    }
                }
            }
            write(newest, model.vector().values());
            return model.arrays();
        }
    }

    private static void write(Tensor from, Tensor to) {
        try (NoGradients off = NoGradients.begin()) {
            to.copy_(from);
        }
    }

    private static void gradients(Model model, Batch batch) {
        try (Scope scope = Scope.open();
                RecordedPass pass =
                        model.record(batch.features().stream().map(Tensor::of).toList())) {
            List<Tensor> labels = batch.labels().stream().map(Tensor::of).toList();
            pass.backward(softmaxCrossEntropy().compute(pass.outputs(), labels), false);
        }
    }

    static Stream<Arguments> grids() {
        return Stream.of(
                Arguments.of(ParallelModels.MLP, parallel().pipeline(2).microBatches(4)),
                Arguments.of(ParallelModels.MLP, parallel().pipeline(3).microBatches(1)),
                Arguments.of(
                        ParallelModels.MLP,
                        parallel().pipeline(4).microBatches(8).recompute()),
                Arguments.of(ParallelModels.GRAPH, parallel().pipeline(3).microBatches(4)),
                Arguments.of(
                        ParallelModels.DECODER, parallel().data(2).pipeline(2).microBatches(3)),
                Arguments.of(
                        ParallelModels.ENCODER, parallel().tensor(2).pipeline(2).microBatches(3)));
    }

    @ParameterizedTest
    @MethodSource("grids")
    void gradientsAreOneUpdateLate(ParallelModels model, Parallel strategy) {
        List<Members.Result> results = Members.of(strategy.grid(1).members())
                .fit(
                        () -> model.trainer(sgd(RATE)).metrics(accuracy()),
                        data(model),
                        epochs(2).with(strategy.withoutFlush()));
        Weights.assertClose(results.get(0).weights(), late(model, 2), 3e-5);
        results.get(0)
                .history()
                .epochs()
                .forEach(epoch -> assertThat(epoch.training().samples()).isEqualTo(ROWS));
    }

    /** The other half: the test above would not tell if gradients were not late. */
    @Test
    void theResultIsNotThatOfOneMachine() {
        Map<String, NdArray> exact;
        try (Trainer one = ParallelModels.MLP.trainer(sgd(RATE))) {
            one.fit(data(ParallelModels.MLP), epochs(2));
            exact = one.model().arrays();
        }
        assertThatThrownBy(() -> Weights.assertClose(late(ParallelModels.MLP, 2), exact, 3e-5))
                .isInstanceOf(AssertionError.class);
        assertThat(parallel().pipeline(2).withoutFlush().exact()).isFalse();
    }

    @Test
    void aLostMemberWithATwinCostsTheStepsUnderWay() {
        Members.Result result = losing(
                "worker-3",
                4,
                epochs(6).with(parallel().data(2).pipeline(2).microBatches(4).withoutFlush()));
        var all = result.history().epochs();
        assertThat(all.get(5).training().loss())
                .isLessThan(all.get(0).training().loss());
        assertThat(all.get(5).training().samples()).isEqualTo(ROWS);
    }

    @Test
    void aLostMemberWithoutATwinSendsAllBackToTheCheckpoint(@TempDir Path folder) {
        Members.Result result = losing(
                "worker-1",
                2,
                epochs(4)
                        .with(parallel().pipeline(2).microBatches(4).withoutFlush())
                        .callbacks(checkpoint(folder).everySteps(2)));
        assertThat(result.history().epochs()).hasSize(4);
    }

    private static Members.Result losing(String member, int members, Fit fit) {
        return new TestingCluster(members, killing(member, "before rows and votes", 8))
                .run(place -> Members.Result.of(
                        ParallelModels.MLP.trainer(sgd(RATE)), data(ParallelModels.MLP), fit.on(place)))
                .get("worker-0");
    }

    @Test
    void whatNeedsAllStagesAtOnceIsRefused() {
        assertThatThrownBy(() -> Members.of(2)
                        .fit(
                                () -> ParallelModels.MLP.trainer(sgd(RATE).clipNorm(1)),
                                data(ParallelModels.MLP),
                                epochs(1).with(parallel().pipeline(2).withoutFlush())))
                .hasMessageContaining("each stage moves by itself");
        assertThatThrownBy(() -> parallel().withoutFlush().validate()).hasMessageContaining("two stages or more");
        assertThatThrownBy(() ->
                        parallel().pipeline(2).shardedState().withoutFlush().validate())
                .hasMessageContaining("shardedState: false");
    }
}
