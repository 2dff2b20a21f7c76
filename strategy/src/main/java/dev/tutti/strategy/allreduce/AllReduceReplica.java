package dev.tutti.strategy.allreduce;

import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Team;
import dev.tutti.data.Batch;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.nn.Model;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.profile.Timing.Phase;
import dev.tutti.train.replica.Feed;
import dev.tutti.train.replica.Outcome;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.StepResult;
import dev.tutti.train.replica.Vote;
import dev.tutti.train.worker.LocalWorkers;
import java.util.Arrays;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One member: workers on threads of its JVM, whose gradients are summed in memory and then with those of other members.
 *
 * <p>Parameters move only after all members have given their gradients, so a step that fails on the way leaves them as they were.
 */
final class AllReduceReplica implements Replica {
    private static final Logger LOG = LoggerFactory.getLogger(AllReduceReplica.class);

    private final AllReduce strategy;
    private final Team team;
    private final Timing timing;
    private final LocalWorkers workers;
    private final Exchange exchange;
    private final boolean scaledBefore;
    private final GradientBuckets buckets; // null where gradients cannot but travel after the backward pass
    private final RunningStatistics statistics;
    private final SharedBatches sharedBatches; // null where batch norm looks at each worker's rows alone
    private Shares shares = new Shares(1);
    private int batchSize;
    private int batchesPerUpdate = 1;
    private boolean overlapping;
    private int firstWorker;
    private long step;
    private double learningRate;
    private int batches;
    private long samples;
    private double lossSum;
    private double seconds;
    private double fedBefore;

    AllReduceReplica(AllReduce strategy, Model model, TrainingConfig recipe, Team team, Timing timing) {
        this.strategy = strategy;
        this.team = team;
        this.timing = timing;
        workers = new LocalWorkers(model, recipe, team.threads());
        exchange = strategy.exchange(workers);
        scaledBefore = strategy.isCompressed();
        buckets = strategy.buckets(workers);
        statistics = new RunningStatistics(model);
        sharedBatches = strategy.sharesBatches() ? shareBatches() : null;
    }

    private SharedBatches shareBatches() {
        SharedBatches shared = new SharedBatches(team);
        workers.shareBatches(shared);
        return shared;
    }

    @Override
    public Model model() {
        return workers.model();
    }

    @Override
    public Feed open(Dataset data, int epoch, Position from) {
        batchSize = data.batchSize().orElse(1);
        statistics.keep();
        workers.shareStatistics();
        Group group = team.group();
        Feed feed = group.size() == 1
                ? Feed.whole(data, epoch, from, timing)
                : Feed.share(data, shares.of(group.rank(), batchSize), epoch, from, timing);
        fedBefore = timing.seconds(Phase.FEED); // opening files says nothing of pace
        return feed;
    }

    @Override
    public void batchesPerUpdate(int count) {
        batchesPerUpdate = count;
    }

    private boolean overlaps() {
        return overlapping && buckets != null && batchesPerUpdate == 1;
    }

    @Override
    public void begin(long number, double rate) {
        step = number;
        learningRate = rate;
    }

    @Override
    public StepResult accumulate(Batch batch) {
        long began = System.nanoTime();
        if (batches == 0) {
            exchange.begin();
            began = timing.record(Phase.WAIT, began);
        }
        StepResult result = backward(batch, new LocalWorkers.Turn(step, batches, firstWorker, batchSize));
        long waited = sharedBatches == null ? 0 : sharedBatches.check();
        batches++;
        samples += result.size();
        lossSum += result.loss() * result.size();
        timing.record(Phase.WIRE, began, began + waited);
        seconds += (timing.record(Phase.COMPUTE, began + waited) - began - waited) / 1e9;
        return result;
    }

    private StepResult backward(Batch batch, LocalWorkers.Turn turn) {
        if (!overlaps()) {
            try {
                return batchesPerUpdate == 1 && exchange.isOfOneMember(team.group())
                        ? workers.backward(batch, turn, learningRate, factor(batch.size()))
                        : workers.backward(batch, turn);
            } catch (RuntimeException e) {
                if (sharedBatches != null) {
                    sharedBatches.check(); // that somebody is missing goes before what came of it
                }
                throw e;
            }
        }
        buckets.begin(team.collectives());
        try {
            return workers.backward(batch, turn, buckets::ready);
        } catch (RuntimeException | Error e) {
            buckets.abandon();
            throw e;
        }
    }

    @Override
    public Outcome update(Vote vote) {
        Collectives collectives = team.collectives();
        long began = System.nanoTime();
        if (sharedBatches != null) {
            sharedBatches.awaitOthers(collectives);
        }
        if (overlaps()) {
            awaitBuckets(collectives);
            began = timing.record(Phase.WIRE, began);
        }
        if (samples == 0 && !overlaps()) {
            exchange.begin();
            workers.zeroGradients();
        }
        exchange.ready();
        double fed = timing.seconds(Phase.FEED) - fedBefore;
        fedBefore += fed;
        StepTally ballot = StepTally.cast(collectives, samples, lossSum, seconds + fed, vote);
        vote.findings().gather(collectives);
        boolean changed = strategy.sharesFollowPace() && shares.observe(ballot.secondsPerSample());
        began = timing.record(Phase.WAIT, began);
        if (ballot.samples() > 0) {
            double factor = factor(ballot.samples());
            if (scaledBefore) {
                began = scale(factor, began);
                factor = 1;
            }
            sum(collectives, ballot);
            began = timing.record(Phase.WIRE, began);
            exchange.update(collectives, learningRate, factor);
            began = timing.record(Phase.UPDATE, began);
            // Where feeds are opened anew it may turn out that training ends.
            exchange.share(collectives, ballot.stateWanted() || changed || ballot.reopen());
            timing.record(Phase.WIRE, began);
            statistics.keep();
        }
        forget();
        if (changed && team.group().isChief()) {
            LOG.info("members differ in pace: of each batch they now get {} percent", shares);
        }
        return new Outcome(
                1,
                ballot.samples(),
                ballot.loss(),
                ballot.more(),
                ballot.stop(),
                ballot.interrupted(),
                changed || ballot.reopen());
    }

    /** What sums of gradients are multiplied by: they were divided by the size of a full batch. */
    private double factor(long samplesOfAll) {
        return (double) batchSize / samplesOfAll;
    }

    /** Gradients of which some stay behind for later must count alike at every step. */
    private long scale(double factor, long began) {
        if (factor != 1 && samples > 0) {
            workers.scaleGradients(factor);
        }
        return timing.record(Phase.UPDATE, began);
    }

    private void awaitBuckets(Collectives collectives) {
        if (!buckets.isBegun()) { // no data: nothing to add to what others have
            workers.zeroGradients();
            buckets.begin(collectives);
            buckets.ready(model().vector().all());
        }
        buckets.await();
    }

    private void sum(Collectives collectives, StepTally ballot) {
        if (!overlaps()) {
            exchange.sum(collectives, step);
        }
        if (collectives.group().size() > 1) {
            workers.averageStatistics();
            statistics.average(collectives, samples > 0, ballot.busy());
            workers.shareStatistics();
        }
    }

    private void forget() {
        batches = 0;
        samples = 0;
        lossSum = 0;
        seconds = 0;
    }

    @Override
    public void abandon() {
        forget();
        if (buckets != null) {
            buckets.abandon();
        }
        statistics.restore();
    }

    @Override
    public void regrouped() {
        abandon();
        if (sharedBatches != null) {
            sharedBatches.regrouped();
        }
        shares = new Shares(team.group().size());
        workers.amongOthers(team.group().size() > 1);
        hearThreads();
        exchange.regrouped(team.collectives());
        if (!overlaps()) {
            exchange.shareMemory(team.collectives());
        }
    }

    /** Members may have different numbers of workers: each worker draws its own random numbers, and all have to travel alike. */
    private void hearThreads() {
        Group group = team.group();
        double[] threads = new double[group.size()];
        threads[group.rank()] = team.threads();
        threads = team.collectives().sum("workers of each", threads);
        firstWorker = (int) Arrays.stream(threads, 0, group.rank()).sum();
        overlapping = strategy.overlapsIn(group) && Arrays.stream(threads).allMatch(each -> each == 1);
    }

    @Override
    public void startOver() {
        exchange.startOver();
    }

    @Override
    public Map<String, Tensor> state() {
        return exchange.state();
    }

    @Override
    public void close() {
        if (buckets != null) {
            buckets.abandon();
            buckets.close();
        }
        exchange.close();
        workers.close();
        statistics.close();
    }
}
