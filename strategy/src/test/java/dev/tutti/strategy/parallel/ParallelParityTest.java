package dev.tutti.strategy.parallel;

import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.optim.Optimizers.sgd;
import static dev.tutti.strategy.Strategies.parallel;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.TuttiException;
import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Model;
import dev.tutti.optim.Optimizer;
import dev.tutti.strategy.Members;
import dev.tutti.strategy.Weights;
import dev.tutti.strategy.parallel.pipeline.PipelineSchedule;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.job.JobFile;
import dev.tutti.train.job.ReadyJob;
import dev.tutti.train.replica.Strategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every grid comes to what one machine with the whole batch does: parameters, losses, metrics. */
@Timeout(120)
class ParallelParityTest {
    private static final int ROWS = 52;

    private static Dataset data(ParallelModels model) {
        return model.data(ROWS).shuffle(3).batch(16);
    }

    private static Map<String, NdArray> alone(ParallelModels model, Optimizer optimizer, Fit fit) {
        try (Trainer one = model.trainer(optimizer)) {
            one.fit(data(model), fit.with(Strategy.local()));
            return one.model().arrays();
        }
    }

    /** What the first member, which gathers the whole model, ends with. */
    private static Members.Result together(ParallelModels model, Optimizer optimizer, Parallel strategy, Fit fit) {
        int members = strategy.grid(1).members();
        return Members.of(members)
                .fit(() -> model.trainer(optimizer), data(model), fit.with(strategy))
                .get(0);
    }

    static Stream<Arguments> grids() {
        List<Arguments> all = new ArrayList<>();
        for (ParallelModels model : ParallelModels.values()) {
            all.add(Arguments.of(model, parallel().pipeline(2).microBatches(4)));
            all.add(Arguments.of(model, parallel().pipeline(3).microBatches(4).schedule(PipelineSchedule.GPIPE)));
            all.add(Arguments.of(model, parallel().data(2).pipeline(2).microBatches(2)));
            all.add(Arguments.of(model, parallel().tensor(2)));
            all.add(Arguments.of(model, parallel().data(2).tensor(2).pipeline(2).microBatches(2)));
        }
        all.add(Arguments.of(
                ParallelModels.MLP, parallel().pipeline(2).microBatches(4).schedule(PipelineSchedule.INTERLEAVED)));
        all.add(Arguments.of(
                ParallelModels.ENCODER,
                parallel()
                        .pipeline(2)
                        .schedule(PipelineSchedule.INTERLEAVED)
                        .chunks(3)
                        .microBatches(5)));
        all.add(Arguments.of(
                ParallelModels.MLP, parallel().pipeline(2).microBatches(4).recompute()));
        all.add(Arguments.of(
                ParallelModels.CNN, parallel().pipeline(2).microBatches(3).recompute()));
        all.add(Arguments.of(ParallelModels.MLP, parallel().data(2).pipeline(2).shardedState()));
        all.add(Arguments.of(ParallelModels.ENCODER, parallel().data(3).shardedState()));
        all.add(Arguments.of(ParallelModels.MLP, parallel().tensor(3)));
        all.add(Arguments.of(
                ParallelModels.MLP,
                parallel()
                        .tensor(2)
                        .split("dense1", "whole")
                        .split("dense2", "columns")
                        .split("dense5", "rows")));
        all.add(Arguments.of(
                ParallelModels.ENCODER,
                parallel()
                        .data(2)
                        .tensor(2)
                        .pipeline(2)
                        .schedule(PipelineSchedule.INTERLEAVED)
                        .recompute()
                        .shardedState()));
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("grids")
    void equalsOneMachine(ParallelModels model, Parallel strategy) {
        Optimizer optimizer = sgd(0.1).momentum(0.9);
        Weights.assertClose(
                together(model, optimizer, strategy, epochs(2)).weights(), alone(model, optimizer, epochs(2)), 2e-5);
    }

    /** One step of plain gradient descent with a rate of 1 moves parameters by their gradients. */
    @ParameterizedTest
    @MethodSource("grids")
    void gradientsAreThoseOfOneMachine(ParallelModels model, Parallel strategy) {
        Dataset one = model.data(16).batch(16);
        Optimizer optimizer = sgd(1);
        Map<String, NdArray> expected;
        try (Trainer trainer = model.trainer(optimizer)) {
            trainer.fit(one, epochs(1).with(Strategy.local()));
            expected = trainer.model().arrays();
        }
        Map<String, NdArray> actual = Members.of(strategy.grid(1).members())
                .fit(() -> model.trainer(optimizer), one, epochs(1).with(strategy))
                .get(0)
                .weights();
        Weights.assertClose(actual, expected, 2e-6);
    }

    @Test
    void metricsAndValidationAreThoseOfOneMachine() {
        ParallelModels model = ParallelModels.MLP;
        Dataset validation = model.data(37).batch(8);
        Fit fit = epochs(2).validate(validation);
        History expected;
        try (Trainer one = model.trainer().metrics(accuracy())) {
            expected = one.fit(data(model), fit.with(Strategy.local()));
        }
        List<Members.Result> results = Members.of(4)
                .fit(
                        () -> model.trainer().metrics(accuracy()),
                        data(model),
                        fit.with(parallel().data(2).pipeline(2).microBatches(3)));
        for (Members.Result result : results) {
            for (int epoch = 0; epoch < 2; epoch++) {
                var mine = result.history().epochs().get(epoch);
                var theirs = expected.epochs().get(epoch);
                assertThat(mine.training().loss()).isCloseTo(theirs.training().loss(), within(1e-5));
                assertThat(mine.training().metrics())
                        .isEqualTo(theirs.training().metrics());
                assertThat(mine.measured().loss()).isCloseTo(theirs.measured().loss(), within(1e-5));
                assertThat(mine.measured().metrics())
                        .isEqualTo(theirs.measured().metrics());
                assertThat(mine.measured().samples()).isEqualTo(37);
            }
        }
    }

    /** Without Adam, which would make steps of rounding errors: the gradient of the keys' bias is zero but for them. */
    @Test
    void clippingGoesByTheLengthOfAllGradients() {
        Optimizer optimizer = sgd(0.5).momentum(0.9).clipNorm(0.05);
        ParallelModels model = ParallelModels.ENCODER;
        Weights.assertClose(
                together(model, optimizer, parallel().data(2).pipeline(2), epochs(2))
                        .weights(),
                alone(model, optimizer, epochs(2)),
                2e-5);
    }

    static Stream<Arguments> frozenLayers() {
        return Stream.of(
                Arguments.of(
                        ParallelModels.MLP,
                        List.of("dense1", "dense4"),
                        parallel().pipeline(2).stages("dense3")),
                Arguments.of(
                        ParallelModels.MLP,
                        List.of("dense1", "dense4"),
                        parallel().data(2).pipeline(2).stages("dense3").shardedState()),
                Arguments.of(
                        ParallelModels.MLP,
                        List.of("dense1", "dense4"),
                        parallel().data(2).tensor(2).pipeline(2).stages("dense3")),
                Arguments.of(
                        ParallelModels.ENCODER,
                        List.of("embedding1", "transformerEncoder2"),
                        parallel().tensor(2).pipeline(2)),
                Arguments.of(
                        ParallelModels.TIED,
                        List.of("embedding1"),
                        parallel().data(2).pipeline(2)),
                Arguments.of(
                        ParallelModels.TIED,
                        List.of("dense1"),
                        parallel().data(2).pipeline(3)));
    }

    /** Also layers that the first member, which decides what is frozen, does not hold. */
    @ParameterizedTest
    @MethodSource("frozenLayers")
    void frozenLayersStayAsTheyAreOnAllStages(ParallelModels model, List<String> frozen, Parallel strategy) {
        Optimizer optimizer = sgd(0.1).momentum(0.9).clipNorm(0.5);
        Supplier<Trainer> trainers = () -> {
            Trainer trainer = model.trainer(optimizer);
            Model built = trainer.build(data(model));
            frozen.forEach(built::freeze);
            return trainer;
        };
        Map<String, NdArray> begin;
        Map<String, NdArray> expected;
        try (Trainer one = trainers.get()) {
            begin = one.model().arrays();
            one.fit(data(model), epochs(2).with(Strategy.local()));
            expected = one.model().arrays();
        }
        Map<String, NdArray> actual = Members.of(strategy.grid(1).members())
                .fit(trainers, data(model), epochs(2).with(strategy))
                .get(0)
                .weights();
        Weights.assertClose(actual, expected, 2e-5);
        begin.forEach((name, values) -> {
            boolean still = frozen.stream().anyMatch(layer -> name.startsWith(layer + "."));
            assertThat(actual.get(name).equals(values))
                    .as(name)
                    .isEqualTo(still || expected.get(name).equals(values));
        });
    }

    /** What the first member's callbacks freeze later leaves frozen what was, on stages that it does not hold. */
    @Test
    void aCallbackFreezesMoreAndNothingElseThaws() {
        ParallelModels model = ParallelModels.MLP;
        Callback freezing = new Callback() {
            @Override
            public void epoch(Run run, EpochResult result) {
                if (result.epoch() == 1) {
                    run.model().freeze("dense2");
                }
            }
        };
        Supplier<Trainer> trainers = () -> {
            Trainer trainer = model.trainer();
            trainer.build(data(model)).freeze("dense4");
            return trainer;
        };
        Map<String, NdArray> expected;
        try (Trainer one = trainers.get()) {
            one.fit(data(model), epochs(3).with(Strategy.local()).callbacks(freezing));
            expected = one.model().arrays();
        }
        Members.Result result = Members.of(2)
                .fit(
                        trainers,
                        data(model),
                        epochs(3).with(parallel().pipeline(2).stages("dense3")).callbacks(freezing))
                .get(0);
        Weights.assertClose(result.weights(), expected, 2e-5);
    }

    /** Each member builds its part anew: values that the whole model was given would be lost without a word. */
    @Test
    void aJobThatGivesTheModelValuesBeforeIsRefused() {
        String job = """
            data: {train: mnist}
            model: {type: sequential, layers: [flatten, {type: dense, units: 10}]}
            loss: softmaxCrossEntropy
            optimizer: adam
            cluster: {type: processes, members: 2}
            strategy: {type: parallel, pipeline: 2}
            adopt: earlier-model
            """;
        assertThatThrownBy(() -> ReadyJob.check(JobFile.of(job, "job.yaml", "x")))
                .isInstanceOf(TuttiException.class)
                .hasMessageContaining("build its part of the model anew")
                .hasMessageContaining("'adopt'");
    }
}
