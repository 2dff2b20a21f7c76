package dev.tutti.strategy.allreduce;

import dev.tutti.array.Range;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Team;
import dev.tutti.data.Batch;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.nn.Model;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.feed.ChunkSupply;
import dev.tutti.train.feed.StepFeed;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.profile.Timing.Phase;
import dev.tutti.train.replica.Agreement;
import dev.tutti.train.replica.Feed;
import dev.tutti.train.replica.HeldState;
import dev.tutti.train.replica.Outcome;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.StepInput;
import dev.tutti.train.replica.StepPlan;
import dev.tutti.train.replica.StepResult;
import dev.tutti.train.replica.Vote;
import dev.tutti.train.worker.LocalWorkers;
import java.util.Arrays;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One member: workers on threads of its JVM, whose gradients are summed in memory and then with those of other members, in the way of the
 * {@link Exchange} that was chosen when the group formed.
 *
 * <p>With several members parameters move only after all have given their gradients, so a step that fails on the way leaves them as they
 * were.
 */
final class AllReduceReplica implements Replica {
    private static final Logger LOG = LoggerFactory.getLogger(AllReduceReplica.class);

    private final AllReduce strategy;
    private final Team team;
    private final Timing timing;
    private final Agreement agreement;
    private final LocalWorkers workers;
    private final ExchangeChoice exchanges;
    private final RunningStatistics statistics;
    private final SharedBatches sharedBatches;
    private final ChunkSupply supply;
    private Exchange exchange;
    private StepFeed leased; // null where every member reads all rows and takes its share
    private Shares shares = new Shares(1);
    private int batchSize;
    private int batchesPerUpdate = 1;
    private int firstWorker;
    private double fedBefore;

    AllReduceReplica(AllReduce strategy, Model model, TrainingConfig recipe, Team team, Timing timing) {
        this.strategy = strategy;
        this.team = team;
        this.timing = timing;
        agreement = Agreement.over(team);
        Range owned =
                strategy.shardsState() ? new Range(0, 0) : model.vector().all(); // divided when the members have met
        workers = new LocalWorkers(model, recipe, team.threads(), owned);
        exchanges = strategy.exchanges(workers, timing);
        exchange = exchanges.first();
        statistics = new RunningStatistics(model);
        sharedBatches = new SharedBatches(team, strategy.sharesBatches());
        supply = ChunkSupply.ofTraining(team, agreement, timing);
        if (strategy.sharesBatches()) {
            workers.shareBatches(sharedBatches);
        }
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
        Range share = shares.of(group.rank(), batchSize);
        leased = null;
        Feed feed;
        if (supply.isLeased(data, epoch, from)) {
            leased = supply.open(data, Math.toIntExact(share.length()), epoch, from);
            feed = leased;
        } else {
            feed = group.size() == 1
                    ? Feed.whole(data, epoch, from, timing)
                    : Feed.share(data, share, epoch, from, timing);
        }
        fedBefore = timing.seconds(Phase.FEED); // opening files says nothing of pace
        return feed;
    }

    @Override
    public void batchesPerUpdate(int count) {
        batchesPerUpdate = count;
    }

    @Override
    public Outcome step(StepPlan plan, StepInput input) {
        OwnShare own = new OwnShare();
        for (Optional<Batch> batch = input.next(); batch.isPresent(); batch = input.next()) {
            input.measured(batch.get(), pass(plan, batch.get(), own));
        }
        Vote vote = input.vote();
        long began = System.nanoTime();
        sharedBatches.awaitOthers(team.collectives());
        began = exchange.complete(own.samples > 0, began);
        StepTally tally = agree(own, vote);
        boolean changed = strategy.sharesFollowPace() && shares.observe(tally.secondsPerSample());
        began = timing.record(Phase.WAIT, began);
        boolean reopen = changed || tally.reopen();
        if (tally.samples() > 0) {
            move(plan, tally, own, began);
        }
        if (leased != null) {
            leased.count(tally.more());
        }
        if (changed && team.group().isChief() && shares.areWorthMentioning()) {
            LOG.info("members differ in pace: of each batch they now get {} percent", shares);
        }
        return new Outcome(
                1,
                tally.samples(),
                tally.loss(),
                tally.more(),
                tally.stop(),
                tally.interrupted(),
                reopen,
                tally.stateWanted());
    }

    /** What this member did in the step under way. */
    private static final class OwnShare {
        private int batches;
        private long samples;
        private double lossSum;
        private double seconds;
    }

    private StepResult pass(StepPlan plan, Batch batch, OwnShare own) {
        long began = System.nanoTime();
        if (own.batches == 0) {
            exchange.begin();
            began = timing.record(Phase.WAIT, began);
        }
        StepResult result =
                backward(batch, new LocalWorkers.Turn(plan.number(), own.batches, firstWorker, batchSize), plan);
        long waited = sharedBatches.check();
        own.batches++;
        own.samples += result.size();
        own.lossSum += result.loss() * result.size();
        timing.record(Phase.WIRE, began, began + waited);
        own.seconds += (timing.record(Phase.COMPUTE, began + waited) - began - waited) / 1e9;
        return result;
    }

    private StepResult backward(Batch batch, LocalWorkers.Turn turn, StepPlan plan) {
        try {
            return exchange.backward(batch, turn, plan.learningRate());
        } catch (RuntimeException e) {
            sharedBatches.check(); // that a member is missing goes before what came of it
            throw e;
        }
    }

    private StepTally agree(OwnShare own, Vote vote) {
        Collectives collectives = team.collectives();
        double fed = timing.seconds(Phase.FEED) - fedBefore;
        fedBefore += fed;
        StepTally tally = StepTally.cast(collectives, own.samples, own.lossSum, own.seconds + fed, vote);
        vote.pendingMetrics().gather(agreement);
        if (leased != null) {
            leased.gather(agreement);
        }
        return tally;
    }

    /** All members have agreed on the step: sums the gradients and moves the parameters. */
    private void move(StepPlan plan, StepTally tally, OwnShare own, long agreed) {
        // Gradients were divided by the size of a full batch.
        double factor = (double) batchSize / tally.samples();
        exchange.sum(new Exchange.OwnGradients(plan.number(), own.samples > 0, factor));
        averageStatistics(own.samples > 0, tally.busy());
        long began = timing.record(Phase.WIRE, agreed);
        exchange.update(plan.learningRate(), factor);
        began = timing.record(Phase.UPDATE, began);
        exchange.share();
        timing.record(Phase.WIRE, began);
        statistics.keep();
    }

    private void averageStatistics(boolean hadData, int busy) {
        Collectives collectives = team.collectives();
        if (collectives.group().size() > 1) {
            workers.averageStatistics();
            statistics.average(collectives, hadData, busy);
            workers.shareStatistics();
        }
    }

    @Override
    public void abandon() {
        exchange.abandon();
        statistics.restore();
    }

    @Override
    public void regrouped() {
        abandon();
        sharedBatches.regrouped();
        supply.giveBack();
        Group group = team.group();
        shares = new Shares(group.size());
        workers.amongOthers(group.size() > 1);
        // Members may have different numbers of workers: each worker draws its own random numbers.
        double[][] threads = team.collectives().gather("workers of each", team.threads());
        firstWorker = Arrays.stream(threads, 0, group.rank())
                .mapToInt(each -> (int) each[0])
                .sum();
        boolean oneWorkerEach = Arrays.stream(threads).allMatch(each -> each[0] == 1);
        exchange.leave();
        exchange = exchanges.of(team.collectives(), new ExchangeChoice.StepShape(oneWorkerEach, batchesPerUpdate == 1));
        exchange.formed(team.collectives());
    }

    @Override
    public void startOver() {
        exchange.startOver();
    }

    @Override
    public Agreement agreement() {
        return agreement;
    }

    @Override
    public HeldState state() {
        return exchange.state();
    }

    @Override
    public void close() {
        exchange.leave();
        exchanges.close();
        workers.close();
        statistics.close();
    }
}
