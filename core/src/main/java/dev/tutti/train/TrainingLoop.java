package dev.tutti.train;

import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Meeting;
import dev.tutti.comm.Report;
import dev.tutti.comm.Team;
import dev.tutti.data.Batch;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Model;
import dev.tutti.optim.MovingAverage;
import dev.tutti.optim.Progress;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.NdArray;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.Timing.Phase;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one training loop: it drives a replica through the epochs, tells the callbacks, and can be cut and gone on with anywhere.
 *
 * <p>Every member runs it. When the members change, those that are left meet again, who lags takes over the state of the furthest,
 * and all go on from the last step they agreed on. Callbacks are the chief's.
 */
final class TrainingLoop implements Run {
    private static final Logger LOG = LoggerFactory.getLogger(TrainingLoop.class);

    private final Replica replica;
    private final Team team;
    private final Timing timing;
    private final Recipe recipe;
    private final Dataset data;
    private final Fit fit;
    private final BiConsumer<Path, Evaluation> modelSaver;
    private final MovingAverage average;
    private final Standing standing;
    private final Capture capture;
    private final TimeAccount times;
    private final Audience audience;
    private final Freezing freezing;
    private final int threads = Engine.threads(); // a replica may use fewer while it trains
    private final List<Seen> pending = new ArrayList<>();

    private int ahead;
    private long epochBegan = System.nanoTime();
    private long samplesSeen;
    private double busyBefore;
    private long generation;
    private double lastLoss = Double.NaN;
    private double learningRate = Double.NaN;
    private String stopReason;
    private boolean ended;

    /** A result whose step is not agreed on yet. */
    private record Seen(StepResult result, List<NdArray> labels) {}

    TrainingLoop(
            Replica replica,
            Team team,
            Timing timing,
            Recipe recipe,
            Dataset data,
            Fit fit,
            BiConsumer<Path, Evaluation> modelSaver) {
        this.replica = replica;
        this.team = team;
        this.timing = timing;
        this.recipe = recipe;
        this.data = Evaluator.prepared(data);
        this.fit = fit;
        this.modelSaver = modelSaver;
        average = recipe.movingAverage() == 0
                ? null
                : MovingAverage.withWarmup(replica.model().vector(), recipe.movingAverage());
        replica.batchesPerUpdate(fit.accumulate());
        standing = new Standing(recipe);
        times = new TimeAccount(team, timing, fit.callbacks());
        audience = new Audience(fit.callbacks(), team, this);
        freezing = new Freezing(team, replica.model());
        capture = new Capture(replica, recipe, average, standing, fit.callbacks());
    }

    /** @param meeting the first one, with the state as it was before */
    History run(Meeting meeting) {
        Throwable failure = null;
        try {
            settle(meeting);
            audience.begin();
            while (standing.epoch() < fit.epochs() && !ended) {
                try {
                    audience.begin();
                    trainEpoch();
                    if (!ended) {
                        finishEpoch();
                    }
                } catch (GroupChangedException e) {
                    LOG.warn("{}; meeting again", e.getMessage());
                    settle(team.meet(standing.progress()));
                }
            }
            if (times.close()) {
                leaveTogether();
            }
        } catch (GroupChangedException e) {
            replica.abandon();
            failure = e;
            throw e;
        } catch (RuntimeException | Error e) {
            failure = e;
            throw e;
        } finally {
            audience.end(failure);
        }
        leaveAveraged();
        boolean interrupted = fit.interrupted().getAsBoolean();
        History.Ending ending =
                interrupted ? History.Ending.INTERRUPTED : ended ? History.Ending.STOPPED : History.Ending.COMPLETED;
        return new History(standing.finished(), ending, interrupted ? "interrupted" : stopReason, times.report());
    }

    /** Goes on from the newest checkpoint in the folder, where there is one. */
    void resume(Path folder) {
        new CheckpointFolder(folder).newest().ifPresent(capture::resume);
    }

    /** How far this member's state is; what a team wants to know when it meets. */
    long progress() {
        return standing.progress();
    }

    // ---- members

    /** All members get the same state; those that had to wait for it begin where the furthest is. */
    private void settle(Meeting first) {
        Meeting meeting = first;
        while (true) {
            try {
                replica.regrouped();
                ahead = 0;
                busyBefore = busy();
                boolean missed = meeting.group().generation() > generation + 1;
                generation = meeting.group().generation();
                if (meeting.takeOver()) {
                    takeOver(meeting, missed);
                }
                pending.clear();
                return;
            } catch (GroupChangedException e) {
                LOG.warn("{}; meeting again", e.getMessage());
                meeting = team.meet(standing.progress());
            }
        }
    }

    /** @param missed whether the others have met without this member, and may have redone its last step */
    private void takeOver(Meeting meeting, boolean missed) {
        boolean source = meeting.group().rank() == meeting.source();
        Checkpoint state = new Gathering(team.collectives()).handOver(source ? capture.take() : null, meeting.source());
        Checkpoint.Progress progress = state.progress();
        long furthest = progress.step() + progress.epoch();
        if (source) {
            return;
        }
        boolean differs = furthest != standing.progress() || furthest == 0;
        if (furthest > standing.progress() && progress.epoch() == standing.epoch() && !missed) {
            countPending(); // it was agreed on after all, only this member did not hear of it
        }
        capture.takeOver(state); // also when it is as far: after a step that was redone the last bits may differ
        if (differs) {
            LOG.info(
                    "{} took over epoch {}, step {} from {}",
                    meeting.group().self(),
                    standing.epoch() + 1,
                    standing.step(),
                    meeting.group().members().get(meeting.source()));
        }
    }

    /** Nobody goes before all have what they need of each other; who is gone already has it. */
    private void leaveTogether() {
        try {
            team.collectives().barrier("the end");
        } catch (GroupChangedException e) {
            LOG.debug("members left before the end was agreed on: {}", e.getMessage());
        }
    }

    /** Whether anybody has data, or wants to end: asked where no step says it. */
    private boolean agreeOnMore(boolean mine) {
        if (team.group().size() == 1) {
            ended = ended || stopping();
            return mine;
        }
        try (Scope scope = Scope.open()) {
            Tensor votes = Tensor.of(new long[] {mine ? 1 : 0, stopping() ? 1 : 0}, 2);
            long began = System.nanoTime();
            team.collectives().allReduce("more and stop", votes);
            timing.record(Phase.WAIT, began);
            long[] counts = votes.toArray().longs();
            ended = ended || counts[1] > 0;
            return counts[0] > 0;
        }
    }

    // ---- an epoch

    private void trainEpoch() {
        boolean more = true;
        while (more && !ended) {
            try (Feed feed = replica.open(data, standing.epoch(), standing.position())) {
                busyBefore = busy(); // opening files says nothing of pace
                more = agreeOnMore(feed.hasNext());
                freezing.agree();
                boolean reopen = false;
                while (more && !ended && !reopen) {
                    Outcome outcome = step(feed);
                    more = outcome.more();
                    reopen = outcome.reopen();
                }
            }
        }
    }

    /** One update, from as many batches as it takes; at the end of an epoch from what is left. */
    private Outcome step(Feed feed) {
        team.check();
        long step = standing.step() + ahead;
        for (int i = 0; i < fit.accumulate(); i++) {
            Batch batch = feed.next();
            if (batch != null) {
                pending.add(new Seen(replica.accumulate(batch, step), batch.labels()));
            }
        }
        learningRate = recipe.optimizer().rate(progressOf(step));
        Vote vote = new Vote(feed.hasNext(), stopping(), freezing.isPending(), audience.needsState());
        Outcome outcome = replica.update(learningRate, vote);
        for (int i = 0; average != null && i < outcome.steps(); i++) {
            average.update(); // of what was agreed on only: the average is the same on all members
        }
        ahead++;
        if (outcome.steps() > 0) {
            agreed(outcome, feed);
        }
        return outcome;
    }

    private void agreed(Outcome outcome, Feed feed) {
        ahead = 0;
        long own = pending.stream().mapToLong(seen -> seen.result().size()).sum();
        double pace = pace(outcome, own);
        times.step(outcome.steps(), own);
        countPending();
        standing.advance(outcome, feed.position());
        lastLoss = outcome.loss();
        samplesSeen += outcome.samples();
        ended = ended || outcome.stop();
        team.report(new Report(
                standing.epoch(), standing.step(), standing.position().rows(), pace, lastLoss));
        audience.tell(callback -> callback.step(this));
        freezing.holdBack();
        ended = ended || team.group().size() == 1 && stopping();
    }

    /** Seconds for an equal part of what was agreed on: a slow member does not look faster for being given less. */
    private double pace(Outcome outcome, long own) {
        double seconds = busy() - busyBefore;
        busyBefore += seconds;
        return own == 0 ? 0 : seconds / own * outcome.samples() / team.group().size();
    }

    /** Seconds that this member did not wait for others: a slow disk makes slow as well. */
    private double busy() {
        return timing.seconds(Phase.COMPUTE) + timing.seconds(Phase.FEED);
    }

    private void countPending() {
        pending.forEach(seen -> standing.totals().addMetrics(seen.result(), seen.labels()));
        pending.clear();
    }

    private void finishEpoch() {
        if (standing.totals().samples() == 0) {
            throw new TrainingException("the training data has no samples: " + data);
        }
        Evaluation validation = validate();
        Evaluation training = mergedTotals().value();
        EpochResult result = new EpochResult(
                standing.epoch() + 1,
                standing.step(),
                learningRate,
                training,
                validation,
                (System.nanoTime() - epochBegan) / 1e9);
        standing.finishEpoch(result);
        epochBegan = System.nanoTime();
        audience.tell(callback -> callback.epoch(this, result));
        freezing.holdBack();
    }

    private Evaluation validate() {
        if (fit.validation() == null) {
            return null;
        }
        Engine.useThreads(threads);
        try (MovingAverage.Swap averaged = swapIn()) {
            return Evaluator.evaluate(replica.model(), recipe, fit.validation(), team.collectives())
                    .value();
        }
    }

    /** The loss of all members is known to each; metrics are brought together. */
    private Totals mergedTotals() {
        Totals own = standing.totals();
        if (team.group().size() == 1 || recipe.metrics().isEmpty()) {
            return own;
        }
        Totals merged = new Totals(recipe.metrics());
        for (Map<String, NdArray> each : new Gathering(team.collectives()).all("metrics", own.snapshot())) {
            Totals other = new Totals(recipe.metrics());
            other.restore(each);
            merged.mergeMetrics(other);
        }
        merged.restoreLoss(own.snapshot());
        return merged;
    }

    /** What the schedule goes by. */
    private Progress progressOf(long step) {
        long steps = stepsPerEpoch().orElse(0);
        return new Progress(step, steps, steps * fit.epochs(), standing.observed());
    }

    private MovingAverage.Swap swapIn() {
        return average == null ? () -> {} : average.swapIn();
    }

    /** Leaves the model with the weights that were evaluated: the averaged ones where there is an average. */
    private void leaveAveraged() {
        if (average != null) {
            try (Scope scope = Scope.open();
                    NoGradients off = NoGradients.begin()) {
                replica.model().vector().values().copy_(average.state().get("average"));
            }
            average.close();
        }
    }

    // ---- what callbacks see

    @Override
    public Checkpoint checkpoint() {
        return capture.take();
    }

    @Override
    public Model model() {
        return replica.model();
    }

    @Override
    public Recipe recipe() {
        return recipe;
    }

    @Override
    public int epoch() {
        return standing.epoch() + 1;
    }

    @Override
    public int epochs() {
        return fit.epochs();
    }

    @Override
    public long step() {
        return standing.step();
    }

    @Override
    public long stepOfEpoch() {
        return standing.stepOfEpoch();
    }

    @Override
    public OptionalLong stepsPerEpoch() {
        OptionalLong batches = data.batches();
        return batches.isEmpty()
                ? batches
                : OptionalLong.of((batches.getAsLong() + fit.accumulate() - 1) / fit.accumulate());
    }

    @Override
    public long samplesSeen() {
        return samplesSeen;
    }

    @Override
    public double learningRate() {
        return learningRate;
    }

    @Override
    public double lastLoss() {
        return lastLoss;
    }

    @Override
    public Evaluation soFar() {
        return standing.totals().value();
    }

    @Override
    public List<EpochResult> finished() {
        return List.copyOf(standing.finished());
    }

    @Override
    public void stop(String reason) {
        stopReason = reason;
    }

    @Override
    public boolean stopping() {
        return stopReason != null || fit.interrupted().getAsBoolean();
    }

    @Override
    public void saveModel(Path folder) {
        List<EpochResult> finished = standing.finished();
        EpochResult last = finished.isEmpty() ? null : finished.get(finished.size() - 1);
        Evaluation evaluation = last == null ? null : last.validation() == null ? last.training() : last.validation();
        try (MovingAverage.Swap averaged = swapIn()) {
            modelSaver.accept(folder, evaluation);
        }
    }
}
