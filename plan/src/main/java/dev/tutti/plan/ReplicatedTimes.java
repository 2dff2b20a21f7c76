package dev.tutti.plan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Steps of the strategies whose members each hold the whole model: local, all-reduce, sharded state, averaging. */
final class ReplicatedTimes {
    /** Gradients that travel together while others are computed; the default of the strategy. */
    static final long BUCKET_BYTES = 4 << 20;

    /** Steps between two averages. */
    static final int AVERAGING_STEPS = 16;

    /** Numbers of the tally beside one for each member. */
    private static final int TALLY_NUMBERS = 8;

    /** Numbers that members give of their metrics at a step. */
    private static final int METRIC_NUMBERS = 16;

    private final JobProfile job;
    private final CollectiveTimes times;

    ReplicatedTimes(JobProfile job, CollectiveTimes times) {
        this.job = job;
        this.times = times;
    }

    /** Rows of the largest share of a batch. */
    static double share(JobProfile job, int members) {
        return Math.max(1, Math.ceil((double) job.batch() / members));
    }

    /** What all members agree on at a step: the tally, and metrics where there are any. */
    Exchanged agreement(int members) {
        if (members == 1) {
            return Exchanged.NOTHING;
        }
        Exchanged tally = times.allReduce(members, 8.0 * (TALLY_NUMBERS + members));
        return job.hasMetrics() ? tally.then(times.allGather(members, 8.0 * METRIC_NUMBERS * members)) : tally;
    }

    List<StepEstimate> of(int nodes) {
        if (nodes == 1) {
            return List.of(local());
        }
        return List.of(allReduce(nodes), shardedState(nodes), averaging(nodes));
    }

    StepEstimate local() {
        double compute = job.compute().seconds(job.batch());
        return estimate("local", Map.of("type", "local"), 1, compute + job.updateSeconds(), Exchanged.NOTHING, 0);
    }

    StepEstimate allReduce(int nodes) {
        double compute = job.compute().seconds(share(job, nodes));
        Exchanged agreement = agreement(nodes);
        List<Bucket> buckets = buckets(nodes);
        Exchanged sums = buckets.stream().map(Bucket::sum).reduce(Exchanged.NOTHING, Exchanged::then);
        double summed = job.workers() == 1 ? overlapped(buckets, compute) : compute + sums.seconds();
        return estimate(
                "all-reduce",
                Map.of("type", "allReduce"),
                nodes,
                summed + agreement.seconds() + job.updateSeconds(),
                sums.then(agreement),
                0);
    }

    /** @param readyAt the share of computing after which its gradients are final */
    private record Bucket(double readyAt, Exchanged sum) {}

    /** The last layers first; all of the vector at once where a member has several workers. */
    private List<Bucket> buckets(int nodes) {
        double forward =
                job.layers().stream().mapToDouble(LayerProfile::forward).sum();
        double done = forward;
        long bytes = 0;
        List<Bucket> buckets = new ArrayList<>();
        for (int i = job.layers().size() - 1; i >= 0; i--) {
            done += job.layers().get(i).backward();
            bytes += job.layers().get(i).parameters() * job.elementBytes();
            boolean last = i == 0;
            if (bytes > 0 && (last || job.workers() == 1 && bytes >= BUCKET_BYTES)) {
                buckets.add(new Bucket(Math.min(1, done), times.allReduce(nodes, bytes)));
                bytes = 0;
            }
        }
        return buckets;
    }

    private static double overlapped(List<Bucket> buckets, double compute) {
        double wireFree = 0;
        for (Bucket bucket : buckets) {
            wireFree = Math.max(wireFree, bucket.readyAt * compute) + bucket.sum.seconds();
        }
        return Math.max(compute, wireFree);
    }

    StepEstimate shardedState(int nodes) {
        double compute = job.compute().seconds(share(job, nodes));
        Exchanged all = times.allReduce(nodes, job.vectorBytes())
                .then(times.allGather(nodes, job.vectorBytes()))
                .then(agreement(nodes));
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("type", "allReduce");
        settings.put("shardedState", true);
        double saved = (double) job.stateVectors() * job.vectorBytes() * (nodes - 1) / nodes;
        StepEstimate step = estimate(
                "all-reduce, sharded state",
                settings,
                nodes,
                compute + all.seconds() + job.updateSeconds() / nodes,
                all,
                -saved);
        return new StepEstimate(
                step.strategy(),
                step.settings(),
                true,
                false,
                nodes,
                step.rows(),
                step.seconds(),
                step.computeSeconds(),
                step.exchanged(),
                step.memoryBytes());
    }

    StepEstimate averaging(int nodes) {
        double compute = job.compute().seconds(share(job, nodes));
        Exchanged round = times.allReduce(nodes, job.vectorBytes())
                .then(agreement(nodes))
                .then(times.allGather(nodes, 8.0 * nodes)) // chunks that were used
                .then(times.ask(200, 200)); // the lease of the next chunk
        Exchanged perStep = round.times(1.0 / AVERAGING_STEPS);
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("type", "averaging");
        settings.put("everySteps", AVERAGING_STEPS);
        double snapshot = (1.0 + job.stateVectors()) * job.vectorBytes();
        StepEstimate step = estimate(
                "averaging every " + AVERAGING_STEPS,
                settings,
                nodes,
                compute + job.updateSeconds() + perStep.seconds(),
                perStep,
                snapshot);
        return new StepEstimate(
                step.strategy(),
                step.settings(),
                false,
                true,
                nodes,
                step.rows(),
                step.seconds(),
                step.computeSeconds(),
                step.exchanged(),
                step.memoryBytes());
    }

    private StepEstimate estimate(
            String name, Map<String, Object> settings, int nodes, double seconds, Exchanged exchanged, double more) {
        double rows = share(job, nodes);
        return new StepEstimate(
                name,
                settings,
                true,
                true,
                nodes,
                job.batch(),
                Math.max(seconds, rows * job.feedSecondsPerRow()), // rows are read ahead
                job.compute().seconds(rows),
                exchanged,
                wholeModelBytes(job, rows) + more);
    }

    /** Parameters, gradients of each worker, optimizer's state and activations of a member that holds all of the model. */
    static double wholeModelBytes(JobProfile job, double rows) {
        return (double) job.vectorBytes() * (1 + job.workers() + job.stateVectors()) + rows * job.activationBytes();
    }
}
