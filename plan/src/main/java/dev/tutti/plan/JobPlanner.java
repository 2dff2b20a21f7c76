package dev.tutti.plan;

import dev.tutti.nn.ModelPlan;
import dev.tutti.optim.Optimizer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Predicts runs of a profiled job with every strategy and grid, for some numbers of nodes. */
public final class JobPlanner {
    /** What a JVM with the engine needs beside the model. */
    static final double PROCESS_BYTES = 1e9;

    private final JobProfile profile;
    private final ModelPlan model;
    private final Optimizer optimizer;
    private NetworkSpec network = new NetworkSpec(10e9 / 8, 1e-4);
    private double memoryBytes = Double.POSITIVE_INFINITY;
    private FailureRate failures = FailureRate.NONE;
    private boolean scaleBatch;

    public JobPlanner(JobProfile profile, ModelPlan model, Optimizer optimizer) {
        this.profile = profile;
        this.model = model;
        this.optimizer = optimizer;
    }

    public JobPlanner network(NetworkSpec between) {
        network = between;
        return this;
    }

    /** What a node has; strategies that need more do not fit. */
    public JobPlanner memory(double bytesOfNode) {
        memoryBytes = bytesOfNode;
        return this;
    }

    public JobPlanner failures(FailureRate rate) {
        failures = rate;
        return this;
    }

    /** Every node keeps the job's batch, so that a step has as many times the rows as there are nodes: another training, of fewer steps. */
    public JobPlanner scaleBatch(boolean on) {
        scaleBatch = on;
        return this;
    }

    /** All runs for all numbers of nodes, and the one that is recommended. */
    public JobPlan plan(List<Integer> nodeCounts) {
        double alone = new ReplicatedTimes(profile, times()).local().samplesPerSecond();
        List<RunEstimate> runs = new ArrayList<>();
        for (int nodes : nodeCounts) {
            for (StepEstimate step : steps(nodes)) {
                runs.add(run(step, nodes, alone));
            }
        }
        return new JobPlan(profile, network, memoryBytes, scaleBatch, runs, Recommendation.of(runs, profile));
    }

    private CollectiveTimes times() {
        return new CollectiveTimes(network, profile.wire());
    }

    private JobProfile jobOn(int nodes) {
        return scaleBatch ? profile.batch(Math.multiplyExact(profile.batch(), nodes)) : profile;
    }

    private List<StepEstimate> steps(int nodes) {
        JobProfile job = jobOn(nodes);
        List<StepEstimate> steps = new ArrayList<>(new ReplicatedTimes(job, times()).of(nodes));
        List<StepEstimate> servers = new ServerTimes(job, times()).of(nodes);
        for (boolean exact : new boolean[] {true, false}) {
            fastest(servers.stream().filter(step -> step.exact() == exact).toList())
                    .ifPresent(steps::add);
        }
        steps.addAll(new GridTimes(job, times(), model, optimizer).of(nodes));
        return steps;
    }

    private static Optional<StepEstimate> fastest(List<StepEstimate> steps) {
        return steps.stream().max(Comparator.comparingDouble(StepEstimate::samplesPerSecond));
    }

    private RunEstimate run(StepEstimate step, int nodes, double alone) {
        JobProfile job = jobOn(nodes);
        Optional<FailureCosts.Cost> cost = job.steps().isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new FailureCosts(failures, job).of(step, job.steps().getAsLong() * step.seconds()));
        Optional<Double> seconds = cost.flatMap(FailureCosts.Cost::seconds);
        return new RunEstimate(
                step.strategy(),
                step.settings(),
                nodes,
                step.members(),
                step.exact(),
                step.elastic(),
                step.seconds(),
                step.computeSeconds(),
                step.exchanged().seconds(),
                step.exchanged().bytes(),
                step.exchanged().messageBytes(),
                step.exchanged().rounds(),
                step.samplesPerSecond(),
                step.samplesPerSecond() / (nodes * alone),
                step.memoryBytes(),
                step.memoryBytes() + PROCESS_BYTES <= memoryBytes,
                seconds,
                seconds.map(all -> all / 3600 * nodes),
                seconds.flatMap(all -> cost.map(FailureCosts.Cost::lost)),
                cost.flatMap(FailureCosts.Cost::checkpointEvery));
    }
}
