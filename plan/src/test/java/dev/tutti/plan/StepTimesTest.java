package dev.tutti.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layers;
import dev.tutti.nn.Model;
import dev.tutti.nn.ModelPlan;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizers;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Predictions against numbers that are worked out by hand. */
class StepTimesTest {
    /** 1 MB a second, 1 ms. */
    private static final NetworkSpec SLOW = new NetworkSpec(1e6, 1e-3);

    private static final double CALL_TO_ONE = 1e-3 + 1024 / 1e6;

    /** 250,000 parameters in two layers, 1 ms for each row, 10 ms for an update, Adam's two vectors. */
    private static JobProfile job(int workers, boolean metrics) {
        return new JobProfile(
                "job",
                workers,
                64,
                OptionalLong.of(640),
                2,
                250_000,
                4,
                2,
                metrics,
                RowCurve.line(0, 1e-3),
                0.01,
                1e-6,
                List.of(
                        new LayerProfile("dense1", 200_000, 0.2, 0.4, 1000),
                        new LayerProfile("dense2", 50_000, 0.1, 0.3, 40)),
                5,
                WireCosts.NONE);
    }

    private static CollectiveTimes times() {
        return new CollectiveTimes(SLOW, WireCosts.NONE);
    }

    @Test
    void sumsTakeTheCheapestWay() {
        Exchanged sum = times().allReduce(4, 1e6);
        assertThat(sum.bytes()).isEqualTo(1.5e6); // 2 * 3/4
        assertThat(sum.messageBytes()).isEqualTo(3 * 1024);
        assertThat(sum.rounds()).isEqualTo(3); // 1, parts to their owners and back
        assertThat(sum.seconds()).isEqualTo(1.5 + 0.003 + 3 * 1024 / 1e6, within(1e-9));
        assertThat(times().allReduce(4, 100).rounds()).isEqualTo(2); // 1, and all of it to all
        assertThat(times().allReduce(3, 1e8).rounds()).isEqualTo(5); // a ring: its rounds hardly count
        assertThat(times().allGather(4, 1e6).bytes()).isEqualTo(0.75e6);
        assertThat(times().allReduce(1, 1e6)).isEqualTo(Exchanged.NOTHING);
    }

    @Test
    void allReduceIsComputingThenTheSumTheBallotAndTheUpdate() {
        StepEstimate two = new ReplicatedTimes(job(2, false), times()).allReduce(2);
        double sum = CALL_TO_ONE + 2e-3 + 1.0; // 1 MB of gradients, half of it twice
        double tally = CALL_TO_ONE + 1e-3 + 80 / 1e6; // ten numbers of 8 bytes, to the other one
        assertThat(two.seconds()).isEqualTo(0.032 + sum + tally + 0.01, within(1e-9));
        assertThat(two.exchanged().bytes()).isEqualTo(1e6 + 80);
        assertThat(two.memoryBytes()).isEqualTo(1e6 * (1 + 2 + 2) + 32 * 2 * 1040.0);
    }

    @Test
    void gradientsTravelBehindTheBackwardPassWhereAMemberHasOneWorker() {
        // One bucket: all of it is below 4 MB, so nothing can begin early.
        assertThat(new ReplicatedTimes(job(1, false), times()).allReduce(2).seconds())
                .isEqualTo(
                        new ReplicatedTimes(job(2, false), times()).allReduce(2).seconds(), within(1e-9));
    }

    @Test
    void averagingPaysForASixteenthOfASum() {
        StepEstimate two = new ReplicatedTimes(job(1, false), times()).averaging(2);
        assertThat(two.exchanged().bytes()).isEqualTo((1e6 + 80 + 8 + 200) / 16, within(1e-6));
        assertThat(two.exact()).isFalse();
        assertThat(two.seconds()).isLessThan(0.032 + 0.01 + 1.1 / 16 + 0.01);
    }

    @Test
    void aServerThatThreeWorkersPushToReceivesThreeVectors() {
        StepEstimate four = new ServerTimes(job(1, false), times()).synchronous(4, 1);
        Exchanged agreement = new ReplicatedTimes(job(1, false), times()).agreement(3);
        double transfers = 2 * (3 * 1.0 + 2e-3); // three megabytes in, three out, question and answer each
        double commit = 2e-3 + 400 / 1e6;
        assertThat(four.seconds()).isEqualTo(0.022 + transfers + commit + agreement.seconds() + 0.01, within(1e-9));
        StepEstimate free = new ServerTimes(job(1, false), times()).asynchronous(4, 1);
        assertThat(free.seconds()).isEqualTo(1.0, within(1e-9)); // its link carries a vector for each batch
    }

    private static ModelPlan model() {
        return ModelPlan.of(
                Sequential.of(Layers.dense(64), Layers.dense(64), Layers.dense(64), Layers.dense(8)),
                Model.Options.DEFAULT,
                List.of(new Input(Shape.of(64), DType.FLOAT32)));
    }

    private static JobProfile fourLayers(ModelPlan model) {
        List<LayerProfile> layers = model.layers().stream()
                .map(name -> new LayerProfile(name, 4160, 1.0 / 12, 2.0 / 12, 256))
                .toList();
        JobProfile one = job(1, false);
        return new JobProfile(
                "job",
                1,
                64,
                one.rows(),
                2,
                model.parameters().stream()
                        .mapToLong(each -> each.shape().size())
                        .sum(),
                4,
                2,
                false,
                one.compute(),
                0,
                0,
                layers,
                5,
                WireCosts.NONE);
    }

    @Test
    void twoEqualStagesTakeHalfOfTheTimeAndTheBubble() {
        ModelPlan model = model();
        CollectiveTimes free = new CollectiveTimes(new NetworkSpec(1e18, 0), WireCosts.NONE);
        StepEstimate pipeline = new GridTimes(fourLayers(model), free, model, Optimizers.adam(0.001))
                .estimate(1, 1, 2)
                .orElseThrow();
        // 64 rows of 1 ms in 8 micro-batches of 8 ms; each stage has half: 8 * 4 ms, and one micro-batch's way to the
        // second stage.
        assertThat(pipeline.seconds()).isEqualTo(0.032 + 0.004, within(1e-6));
        assertThat(pipeline.elastic()).isFalse();
    }

    @Test
    void planForFailuresAddsTheExpectedLoss() {
        JobProfile job = job(1, false);
        StepEstimate sharded = new ReplicatedTimes(job, times()).shardedState(2);
        FailureCosts.Cost none = new FailureCosts(FailureRate.NONE, job).of(sharded, 100);
        assertThat(none.seconds()).hasValue(100.0);
        FailureRate rate = new FailureRate(1.0 / 2000); // of two nodes one in 1000 s
        FailureCosts.Cost some = new FailureCosts(rate, job).of(sharded, 100);
        double interval = CheckpointInterval.daly(5, 1000);
        assertThat(some.checkpointEvery()).hasValue(interval);
        assertThat(some.seconds().orElseThrow())
                .isEqualTo(100 * (1 + 5 / interval) / (1 - (12 + 5 + interval / 2) / 1000), within(1e-9));
        assertThat(new FailureCosts(new FailureRate(1), job).of(sharded, 100).seconds())
                .isEmpty();
    }

    @Test
    void theRecommendedRunFitsAndSaysWhy() {
        ModelPlan model = model();
        JobPlan fast = new JobPlanner(fourLayers(model), model, Optimizers.adam(0.001))
                .network(new NetworkSpec(1e9, 1e-5))
                .plan(List.of(1, 2, 8));
        Recommendation advice = fast.recommended().orElseThrow();
        assertThat(advice.run().nodes()).isEqualTo(8);
        assertThat(advice.run().efficiency()).isBetween(0.5, 1.0);
        assertThat(advice.why()).contains("on 8 nodes", "samples/s");
        assertThat(advice.lines()).hasSize(2).first().isEqualTo("cluster: joined");
        assertThat(fast.on(1))
                .singleElement()
                .extracting(RunEstimate::efficiency)
                .isEqualTo(1.0);

        JobPlan far = new JobPlanner(fourLayers(model), model, Optimizers.adam(0.001))
                .network(new NetworkSpec(1e4, 1))
                .plan(List.of(1, 2));
        assertThat(far.recommended().orElseThrow().run().nodes()).isEqualTo(1);
        assertThat(new JobPlanner(fourLayers(model), model, Optimizers.adam(0.001))
                        .memory(1e6)
                        .plan(List.of(1, 2))
                        .recommended())
                .isEmpty();
        assertThat(ScalingSvg.of(fast))
                .startsWith("<svg")
                .contains("best grid", "all-reduce")
                .endsWith("</svg>\n");
    }
}
