package dev.tutti.strategy.averaging;

import dev.tutti.array.Range;
import dev.tutti.comm.ChunkPreference;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Leases;
import dev.tutti.comm.Team;
import dev.tutti.data.Batch;
import dev.tutti.data.Chunk;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.data.SampleSpec;
import dev.tutti.nn.Model;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.PackedRanges;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.feed.ChunkHolders;
import dev.tutti.train.feed.ChunkLayout;
import dev.tutti.train.feed.EpochLedger;
import dev.tutti.train.feed.RoundFeed;
import dev.tutti.train.feed.UsedChunks;
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
import dev.tutti.train.worker.BackwardOverlap;
import dev.tutti.train.worker.LocalWorkers;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One member: it trains on its own for a round, then all average their models.
 *
 * <p>A round is agreed on or done again whole: until then the chunks count as unused, and parameters, running statistics and what
 * the optimizer remembers can be put back to what they were at the last agreement.
 */
final class AveragingReplica implements Replica {
    private static final Logger LOG = LoggerFactory.getLogger(AveragingReplica.class);
    private static final int VALUES = 0; // its place in the anchor

    private final Averaging settings;
    private final Team team;
    private final Timing timing;
    private final Agreement agreement;
    private final LocalWorkers workers;
    private final RoundSnapshot roundSnapshot;
    private final OuterOptimizer.Move outer;
    private final WeightAgreement weighing;
    private final ChunkLayout layout = new ChunkLayout();
    private Round round;
    private EpochLedger ledger;
    private RoundFeed feed;
    private boolean underWay;
    private int batchesPerUpdate = 1;

    AveragingReplica(Averaging settings, Model model, TrainingConfig recipe, Team team, Timing timing) {
        this.settings = settings;
        this.team = team;
        this.timing = timing;
        agreement = Agreement.over(team);
        workers = new LocalWorkers(model, recipe, team.threads());
        weighing = new WeightAgreement(settings.weights());
        outer = settings.outer() == null
                ? null
                : settings.outer().bind(model.vector().values());
        List<Tensor> moving = new ArrayList<>(List.of(model.vector().values()));
        if (model.state().size() > 0) {
            moving.add(model.state().values());
        }
        moving.addAll(workers.state().values());
        if (outer != null) {
            moving.addAll(outer.state().values());
        }
        roundSnapshot = new RoundSnapshot(moving);
    }

    @Override
    public Model model() {
        return workers.model();
    }

    // ---- data

    @Override
    public Feed open(Dataset data, int epoch, Position from) {
        keep();
        if (round == null) {
            Weights.Needs needs = settings.weights().needs();
            SampleSpec spec = needs.labels() || needs.features() ? data.spec() : null;
            round = new Round(needs, spec, model().outputs().get(0));
        }
        Dataset whole = Feed.wholeBatches(data, "averaging").keepLast(); // chunks end where they end
        ChunkSizing pieces = new ChunkSizing(data, team.group().size(), settings.steps());
        UsedChunks used = from == null
                ? new UsedChunks(layout.agree(agreement, epoch, pieces.chunk()), new BitSet())
                : UsedChunks.at(from);
        List<Chunk> chunks = whole.chunks(epoch, used.rowsPerChunk());
        if (chunks.size() < team.group().size() && team.group().isChief()) {
            LOG.warn(
                    "{} members share {} chunk(s) of data, so some have nothing to do: choose a smaller batch or fewer"
                            + " steps between averages, or cache() data that cannot be cut",
                    team.group().size(),
                    chunks.size());
        }
        if (ledger != null && ledger.epoch() == epoch) {
            ledger.giveBack(); // the feed before had a chunk more than it used
        }
        ledger = new EpochLedger(
                team.leases(Leases.TRAINING),
                epoch,
                chunks.size(),
                used.numbers(),
                ChunkHolders.everywhere(team.group(), chunks.size()),
                ChunkPreference.NONE);
        feed = new RoundFeed(whole.batch(pieces.batch()), epoch, used, chunks, ledger, timing);
        return feed;
    }

    // ---- a step of its own

    @Override
    public void batchesPerUpdate(int count) {
        batchesPerUpdate = count;
    }

    /** Makes an update of this member's own, and agrees with the others where the round ends. */
    @Override
    public Outcome step(StepPlan plan, StepInput input) {
        learn(plan, input);
        Vote vote = input.vote();
        return feed.endsRound(round.steps(), settings.steps())
                ? agree(vote)
                : new Outcome(0, 0, Double.NaN, true, false, false, false);
    }

    private void learn(StepPlan plan, StepInput input) {
        int batches = 0;
        long samples = 0;
        int firstBatch = 0;
        for (Optional<Batch> next = input.next(); next.isPresent(); next = input.next()) {
            underWay = true;
            long began = System.nanoTime();
            Batch batch = next.get();
            firstBatch = batches == 0 ? batch.size() : firstBatch;
            StepResult result = backward(batch, batches, firstBatch, plan);
            batches++;
            samples += result.size();
            round.add(batch, result);
            timing.record(Phase.COMPUTE, began);
            input.measured(batch, result);
        }
        if (batches > 0) {
            long began = System.nanoTime();
            workers.update(plan.learningRate(), batches == 1 ? 1 : (double) firstBatch / samples);
            round.stepDone();
            timing.record(Phase.UPDATE, began);
        }
    }

    private StepResult backward(Batch batch, int batches, int firstBatch, StepPlan plan) {
        int firstWorker = team.group().rank() * team.threads();
        LocalWorkers.Turn turn = new LocalWorkers.Turn(plan.number(), batches, firstWorker, firstBatch);
        boolean isWholeStep = batchesPerUpdate == 1;
        return workers.backward(
                batch, turn, isWholeStep ? BackwardOverlap.update(plan.learningRate(), 1) : BackwardOverlap.NONE);
    }

    // ---- the end of a round

    private Outcome agree(Vote vote) {
        underWay = true;
        Collectives collectives = team.collectives();
        List<Integer> mine = feed.chunksOfRound();
        long began = System.nanoTime();
        RoundTally tally = RoundTally.cast(
                collectives,
                new RoundTally.Entry(
                        round.samples(),
                        round.lossSum(),
                        round.validationLoss(),
                        round.steps(),
                        mine.size(),
                        vote,
                        isSound()));
        began = timing.record(Phase.WAIT, began);
        List<Integer> all = tally.chunks(collectives, mine);
        vote.pendingMetrics().gather(agreement);
        if (tally.samples() > 0) {
            double[] weights =
                    weighing.weigh(collectives, tally, round, model().vector().values());
            if (collectives.group().size() > 1) {
                average(collectives, weights[collectives.group().rank()]);
            }
            began = timing.record(Phase.WIRE, began);
            move();
        }
        feed.agree(all);
        keep();
        timing.record(Phase.UPDATE, began);
        return new Outcome(
                tally.steps(),
                tally.samples(),
                tally.loss(),
                tally.more(),
                tally.stop(),
                tally.interrupted(),
                tally.reopen());
    }

    private boolean isSound() {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            return model().vector().values().mul(0).sum().item() == 0; // infinite times 0 is no number
        }
    }

    private void average(Collectives collectives, double weight) {
        // What is frozen is the same on all members: it does not travel.
        PackedRanges.change(
                model().vector().values(),
                model().trainable(),
                learning -> sum(collectives, "parameters", learning, weight));
        if (model().state().size() > 0) {
            sum(collectives, "running statistics", model().state().values(), weight);
        }
        if (settings.averagesOptimizerState()) {
            workers.state().forEach((name, tensor) -> {
                if (tensor.rank() > 0) { // counters stay as they are
                    PackedRanges.change(
                            tensor,
                            model().trainable(),
                            learning -> sum(collectives, "optimizer: " + name, learning, weight));
                }
            });
        }
    }

    private static void sum(Collectives collectives, String what, Tensor values, double weight) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            if (weight == 0) {
                values.zero_(); // a model that went astray may not be finite
            } else {
                values.mul_(weight);
            }
            collectives.allReduce(what, values);
        }
    }

    private void move() {
        if (outer != null) {
            outer.apply(roundSnapshot.get(VALUES), model().vector().values());
        }
        // What is frozen stays as it is, to the last bit.
        long learned = 0;
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            for (Range range : model().trainable()) {
                putBack(Range.between(learned, range.from()));
                learned = range.to();
            }
            putBack(Range.between(learned, model().vector().size()));
        }
    }

    private void putBack(Range frozen) {
        if (!frozen.isEmpty()) {
            model().vector().values(frozen).copy_(roundSnapshot.get(VALUES).narrow(0, frozen.from(), frozen.length()));
        }
    }

    private void keep() {
        roundSnapshot.keep();
        workers.shareStatistics();
        if (round != null) {
            round.forget();
        }
        underWay = false;
    }

    @Override
    public void regrouped() {
        abandon();
        workers.amongOthers(team.group().size() > 1);
        if (ledger != null) {
            ledger.giveBack();
        }
    }

    @Override
    public void abandon() {
        if (underWay) {
            roundSnapshot.restore();
            keep();
        }
    }

    @Override
    public Agreement agreement() {
        return agreement;
    }

    /** The optimizer's, the outer optimizer's, and how the epoch is cut. */
    @Override
    public HeldState state() {
        Map<String, Tensor> state = new LinkedHashMap<>(workers.state());
        if (outer != null) {
            state.putAll(outer.state());
        }
        state.put("averaging.layout", layout.state());
        return HeldState.whole(state);
    }

    @Override
    public void close() {
        if (outer != null) {
            outer.close();
        }
        workers.close();
        roundSnapshot.close();
        layout.close();
    }
}
