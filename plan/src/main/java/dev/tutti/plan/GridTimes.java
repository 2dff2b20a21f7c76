package dev.tutti.plan;

import dev.tutti.TuttiException;
import dev.tutti.array.Range;
import dev.tutti.nn.ModelPlan;
import dev.tutti.nn.Parameter;
import dev.tutti.nn.Slice;
import dev.tutti.nn.TensorSplit;
import dev.tutti.optim.Optimizer;
import dev.tutti.strategy.parallel.Parallel;
import dev.tutti.strategy.parallel.pipeline.ScheduleTimeline;
import dev.tutti.strategy.parallel.pipeline.StageBalance;
import dev.tutti.strategy.parallel.plan.GridPlan;
import dev.tutti.strategy.parallel.plan.MemberShare;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Steps of grids: stages of layers, slices of layers, and sets of both that share every batch. */
final class GridTimes {
    private static final Logger LOG = LoggerFactory.getLogger(GridTimes.class);
    private static final List<Integer> SLICES = List.of(1, 2, 4, 8);
    private static final int MOST_STAGES = 16;

    private final JobProfile job;
    private final CollectiveTimes times;
    private final ReplicatedTimes replicated;
    private final ModelPlan model;
    private final Optimizer optimizer;
    private final Map<Integer, Optional<Sliced>> slicings = new HashMap<>();

    GridTimes(JobProfile job, CollectiveTimes times, ModelPlan model, Optimizer optimizer) {
        this.job = job;
        this.times = times;
        this.model = model;
        this.optimizer = optimizer;
        replicated = new ReplicatedTimes(job, times);
    }

    /**
     * How layers compute when they are sliced.
     *
     * @param factors of each layer: the part of its work that one slice has
     * @param sums calls in which slices of each layer are summed, in both passes
     */
    private record Sliced(double[] factors, int[] sums) {}

    /** All grids that so many nodes fill to at least three quarters. */
    List<StepEstimate> of(int nodes) {
        List<StepEstimate> all = new ArrayList<>();
        for (int tensor : SLICES) {
            for (int pipeline = 1;
                    pipeline <= Math.min(MOST_STAGES, job.layers().size());
                    pipeline *= 2) {
                int set = tensor * pipeline;
                int data = set == 1 ? 0 : Math.min(nodes / set, job.batch());
                if (data > 0 && 4 * data * set >= 3 * nodes) {
                    estimate(data, tensor, pipeline).ifPresent(all::add);
                }
            }
        }
        return all;
    }

    /** Empty where the model cannot be divided so. */
    Optional<StepEstimate> estimate(int data, int tensor, int pipeline) {
        try {
            Optional<Sliced> sliced = slicings.computeIfAbsent(tensor, this::slice);
            return sliced.isEmpty() ? Optional.empty() : Optional.of(estimate(data, tensor, pipeline, sliced.get()));
        } catch (TuttiException e) {
            LOG.debug("no grid of {} x {} x {}", data, tensor, pipeline, e);
            return Optional.empty();
        }
    }

    private StepEstimate estimate(int data, int tensor, int pipeline, Sliced sliced) {
        double[] costs = new double[job.layers().size()];
        for (int i = 0; i < costs.length; i++) {
            costs[i] = job.layers().get(i).share() * sliced.factors[i];
        }
        List<Integer> cuts = pipeline == 1 ? List.of() : StageBalance.cuts(costs, pipeline);
        Parallel strategy = new Parallel()
                .data(1)
                .tensor(tensor)
                .pipeline(pipeline)
                .stages(cuts.stream().map(at -> model.layers().get(at)).toArray(String[]::new));
        int rows = (int) ReplicatedTimes.share(job, data);
        GridPlan plan = GridPlan.of(strategy, model, optimizer, tensor * pipeline, rows);
        double microRows = Math.max(1, Math.ceil((double) rows / plan.microBatches()));
        List<Stage> stages = stages(plan, cuts, sliced, tensor, microRows, rows);
        ScheduleTimeline timeline = ScheduleTimeline.of(plan.table(), new Passes(stages));
        int members = data * tensor * pipeline;
        MemberShare largest = plan.members().stream()
                .reduce((one, other) -> one.parameters() >= other.parameters() ? one : other)
                .orElseThrow();
        Exchanged gradients = times.allReduce(data, (double) largest.parameters() * job.elementBytes());
        Exchanged agreement = replicated.agreement(members);
        Exchanged passes = stages.stream()
                .map(stage -> stage.perMicroBatch.times(plan.microBatches()))
                .reduce((one, other) -> one.bytes() >= other.bytes() ? one : other)
                .orElseThrow();
        double update = job.updateSeconds() * largest.parameters() / Math.max(1, job.parameters());
        return new StepEstimate(
                "grid, data " + data + " x tensor " + tensor + " x pipeline " + pipeline,
                settings(data, tensor, pipeline),
                true,
                data > 1,
                members,
                job.batch(),
                timeline.end() + gradients.seconds() + agreement.seconds() + update,
                stages.stream()
                                .mapToDouble(stage -> stage.forward + stage.backward)
                                .max()
                                .orElse(0)
                        * plan.microBatches(),
                passes.then(gradients).then(agreement),
                memory(plan, stages, microRows));
    }

    /**
     * One stage of the pipeline.
     *
     * @param forward seconds of a micro-batch, sums of slices included
     * @param ahead seconds until what it gives arrives at the next stage
     * @param back the same of gradients for the stage before
     * @param activationBytes of a row
     */
    private record Stage(
            double forward,
            double backward,
            double ahead,
            double back,
            Exchanged perMicroBatch,
            double activationBytes) {}

    private record Passes(List<Stage> stages) implements ScheduleTimeline.PassTimes {
        @Override
        public double seconds(boolean backward, int part) {
            return backward ? stages.get(part).backward : stages.get(part).forward;
        }

        @Override
        public double travel(boolean backward, int part) {
            return backward ? stages.get(part).back : stages.get(part).ahead;
        }
    }

    private List<Stage> stages(
            GridPlan plan, List<Integer> cuts, Sliced sliced, int tensor, double microRows, int rows) {
        double compute = job.compute().seconds(microRows);
        List<Stage> stages = new ArrayList<>();
        for (int stage = 0; stage <= cuts.size(); stage++) {
            int from = stage == 0 ? 0 : cuts.get(stage - 1);
            int to = stage == cuts.size() ? job.layers().size() : cuts.get(stage);
            double forward = 0;
            double backward = 0;
            double activations = 0;
            int sums = 0;
            for (int i = from; i < to; i++) {
                LayerProfile layer = job.layers().get(i);
                forward += layer.forward() * compute * sliced.factors[i];
                backward += layer.backward() * compute * sliced.factors[i];
                activations += 2.0 * layer.outputBytes() * sliced.factors[i];
                sums += sliced.sums[i];
            }
            MemberShare share = plan.members().get(plan.grid().place(stage, 0));
            double summed = share.summedBytes() * microRows / rows;
            Exchanged slices = tensor == 1 || sums == 0
                    ? Exchanged.NOTHING
                    : times.allReduce(tensor, summed / sums).times(sums);
            boolean last = stage == cuts.size();
            Exchanged ahead = last
                    ? Exchanged.NOTHING
                    : times.send(job.layers().get(to - 1).outputBytes() * microRows);
            Exchanged back = stage == 0
                    ? Exchanged.NOTHING
                    : times.send(job.layers().get(from - 1).outputBytes() * microRows);
            stages.add(new Stage(
                    forward + slices.seconds() / 2,
                    backward + slices.seconds() / 2,
                    ahead.seconds(),
                    back.seconds(),
                    slices.then(ahead).then(back),
                    activations));
        }
        return stages;
    }

    private static double memory(GridPlan plan, List<Stage> stages, double microRows) {
        double most = 0;
        for (MemberShare share : plan.members()) {
            double activations = stages.get(share.stage()).activationBytes * microRows * share.activationsAlive();
            most = Math.max(most, share.bytes() + activations);
        }
        return most;
    }

    private static Map<String, Object> settings(int data, int tensor, int pipeline) {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("type", "parallel");
        settings.put("data", data);
        settings.put("tensor", tensor);
        settings.put("pipeline", pipeline);
        return settings;
    }

    private Optional<Sliced> slice(int tensor) {
        int layers = job.layers().size();
        double[] factors = new double[layers];
        int[] sums = new int[layers];
        Map<String, Slice> held = new HashMap<>();
        if (tensor > 1) {
            TensorSplit.of(model, 0, tensor, Map.of()).held().forEach(slice -> held.put(slice.parameter(), slice));
        }
        boolean divides = tensor == 1;
        for (int i = 0; i < layers; i++) {
            double own = 0;
            double whole = 0;
            for (Parameter parameter : model.part(new Range(i, 1)).parameters()) {
                Slice slice = held.get(parameter.name());
                long size = parameter.shape().size();
                whole += size;
                own += slice == null ? size : slice.shape().size();
                sums[i] += slice != null && !slice.isAll() && parameter.shape().rank() > 1 ? 1 : 0;
            }
            factors[i] = whole == 0 ? 1 : own / whole;
            divides |= factors[i] < 1;
        }
        return divides ? Optional.of(new Sliced(factors, sums)) : Optional.empty();
    }
}
