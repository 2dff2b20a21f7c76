package dev.tutti.plan;

import java.util.Optional;

/** Time that failures of nodes cost a run. A lost node is replaced, or its place stays empty: the number of nodes is taken as constant. */
final class FailureCosts {
    /** Silence after which a node is given up: the default of the coordinator. */
    private static final double DETECTION_SECONDS = 10;

    /** A meeting, new connections and new shares. */
    private static final double MEETING_SECONDS = 2;

    private final FailureRate rate;
    private final JobProfile job;

    FailureCosts(FailureRate rate, JobProfile job) {
        this.rate = rate;
        this.job = job;
    }

    /** @param seconds all of the run; empty if failures come faster than work is done */
    record Cost(Optional<Double> seconds, double lost, Optional<Double> checkpointEvery) {}

    Cost of(StepEstimate step, double seconds) {
        if (rate.isNone()) {
            return new Cost(Optional.of(seconds), 0, Optional.empty());
        }
        double perSecond = rate.perSecond() * step.members();
        double recovery = DETECTION_SECONDS + MEETING_SECONDS;
        if (step.elastic()) {
            double repeated = step.exact() ? step.seconds() : ReplicatedTimes.AVERAGING_STEPS / 2.0 * step.seconds();
            return cost(seconds, 1, perSecond * (recovery + repeated), Optional.empty());
        }
        double interval = Math.max(
                step.seconds(), CheckpointInterval.daly(job.checkpointSeconds(), rate.meanTimeBetween(step.members())));
        double lost = perSecond * (recovery + job.checkpointSeconds() + interval / 2);
        return cost(seconds, 1 + job.checkpointSeconds() / interval, lost, Optional.of(interval));
    }

    private static Cost cost(double seconds, double overhead, double lostShare, Optional<Double> interval) {
        if (lostShare >= 1) {
            return new Cost(Optional.empty(), 0, interval);
        }
        double all = seconds * overhead / (1 - lostShare);
        return new Cost(Optional.of(all), all - seconds, interval);
    }
}
