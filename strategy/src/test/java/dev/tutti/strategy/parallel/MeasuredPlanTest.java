package dev.tutti.strategy.parallel;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.strategy.Strategies.parallel;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.Team;
import dev.tutti.data.Batch;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Input;
import dev.tutti.nn.Model;
import dev.tutti.nn.ModelPlan;
import dev.tutti.optim.Optimizer;
import dev.tutti.strategy.TestingCluster;
import dev.tutti.strategy.parallel.pipeline.PipelineSchedule;
import dev.tutti.strategy.parallel.plan.GridPlan;
import dev.tutti.strategy.parallel.plan.MemberShare;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.Trainer;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Feed;
import dev.tutti.train.replica.StepInput;
import dev.tutti.train.replica.StepPlan;
import dev.tutti.train.replica.Vote;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What members hold and send in a step is what the plan says: to the byte. */
@Timeout(120)
class MeasuredPlanTest {
    private static final int ROWS = 16;
    private static final Optimizer OPTIMIZER = adam(1e-3);

    /** What a member had after one step. */
    private record Measured(int rank, long values, long gradients, long state, long sent, long summed, int alive) {}

    static Stream<Arguments> grids() {
        List<Arguments> all = new ArrayList<>();
        for (ParallelModels model : ParallelModels.values()) {
            all.add(Arguments.of(model, parallel().pipeline(3).microBatches(8)));
            all.add(Arguments.of(model, parallel().tensor(2)));
            all.add(Arguments.of(model, parallel().tensor(2).pipeline(2).microBatches(4)));
        }
        all.add(Arguments.of(
                ParallelModels.MLP, parallel().pipeline(3).microBatches(8).schedule(PipelineSchedule.GPIPE)));
        all.add(Arguments.of(
                ParallelModels.MLP, parallel().pipeline(2).microBatches(4).schedule(PipelineSchedule.INTERLEAVED)));
        all.add(Arguments.of(
                ParallelModels.ENCODER, parallel().tensor(2).pipeline(2).recompute()));
        all.add(Arguments.of(
                ParallelModels.MLP,
                parallel().data(2).pipeline(2).microBatches(2).shardedState()));
        all.add(Arguments.of(
                ParallelModels.MLP, parallel().pipeline(3).microBatches(8).withoutFlush()));
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("grids")
    void membersHoldAndSendWhatThePlanSays(ParallelModels model, Parallel measuredStages) {
        Dataset data = model.data(ROWS).batch(ROWS);
        ModelPlan whole;
        try (Trainer trainer = model.trainer(OPTIMIZER)) {
            Model built = trainer.build(data);
            whole = ModelPlan.of(model.definition(), Model.Options.DEFAULT, built.inputs());
        }
        Grid grid = measuredStages.grid(1);
        Parallel strategy = fixed(measuredStages, whole, grid);
        GridPlan plan = GridPlan.of(strategy, whole, OPTIMIZER, grid.members(), ROWS);
        Map<String, Measured> members =
                new TestingCluster(grid.members()).run(place -> step(place.assemble(null), strategy, whole, data));
        for (Measured each : members.values()) {
            MemberShare share = plan.members().get(each.rank);
            assertThat(each.values).as("parameters").isEqualTo(share.parameterBytes());
            assertThat(each.gradients).as("gradients").isEqualTo(share.gradientBytes());
            assertThat(each.sent).as("sent to stages").isEqualTo(share.stageBytes());
            assertThat(each.summed).as("summed with slices").isEqualTo(share.summedBytes());
            assertThat(each.alive).as("micro-batches alive").isEqualTo(share.activationsAlive());
            if (!strategy.shardsState()) { // whose shares are cut at blocks
                assertThat(each.state).as("optimizer state").isEqualTo(share.stateBytes());
            }
        }
        assertThat(members.values().stream().mapToLong(Measured::state).sum())
                .isEqualTo(plan.members().stream()
                        .mapToLong(MemberShare::stateBytes)
                        .sum());
    }

    /** With three stages and eight micro-batches, of which each member counts those that it holds activations of. */
    @Test
    void gpipeHoldsAllMicroBatchesAndOneForwardOneBackwardNoMoreThanThereAreStages() {
        Parallel stages = parallel().pipeline(3).microBatches(8).stages("dense2", "dense4");
        assertThat(alive(stages.schedule(PipelineSchedule.GPIPE))).containsExactly(8, 8, 8);
        assertThat(alive(stages)).containsExactly(3, 2, 1);
    }

    private static List<Integer> alive(Parallel strategy) {
        Dataset data = ParallelModels.MLP.data(ROWS).batch(ROWS);
        ModelPlan whole = ModelPlan.of(
                ParallelModels.MLP.definition(),
                Model.Options.DEFAULT,
                List.of(Input.of(data.spec().features().get(0).shape().toArray())));
        return new TestingCluster(3)
                .run(place -> step(place.assemble(null), strategy, whole, data)).values().stream()
                        .map(Measured::alive)
                        .toList();
    }

    /** Members would measure where to cut, and might cut elsewhere than the plan. */
    private static Parallel fixed(Parallel strategy, ModelPlan whole, Grid grid) {
        List<String> layers = whole.layers();
        String[] first = PartPlans.findCuts(strategy, whole, grid).stream()
                .map(layers::get)
                .toArray(String[]::new);
        return first.length == 0 ? strategy : strategy.stages(first);
    }

    private static Measured step(Team joined, Parallel strategy, ModelPlan whole, Dataset data) {
        TrainingConfig recipe = new TrainingConfig(OPTIMIZER, softmaxCrossEntropy(), List.of(), 0, 3);
        try (Team team = joined) {
            team.meet(0);
            ParallelReplica replica = (ParallelReplica) strategy.replica(whole, recipe, team, new Timing());
            replica.regrouped();
            try (Feed feed = replica.open(data, 0, null);
                    Scope scope = Scope.open()) {
                replica.state().makeRoom();
                replica.state().adopt(0);
                Optional<Batch> batch = feed.next();
                replica.step(
                        new StepPlan(0, 1e-3),
                        StepInput.of(
                                new Vote(false, false, false), batch.stream().toArray(Batch[]::new)));
                Model part = replica.model();
                Measured measured = new Measured(
                        team.group().rank(),
                        replica.weightCopies() * bytes(part.vector().values()),
                        replica.weightCopies() * bytes(part.vector().gradients()),
                        replica.state().held().values().stream()
                                .filter(tensor -> tensor.rank() > 0)
                                .mapToLong(MeasuredPlanTest::bytes)
                                .sum(),
                        replica.sentBytes(),
                        replica.summedBytes(),
                        replica.mostAlive());
                team.done();
                return measured;
            } finally {
                Model part = replica.model();
                replica.close();
                part.close();
            }
        }
    }

    private static long bytes(Tensor tensor) {
        return tensor.size() * tensor.type().bytes();
    }
}
