package dev.tutti.train;

import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Meeting;
import dev.tutti.comm.Report;
import dev.tutti.comm.Team;
import dev.tutti.data.Batch;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.host.CompilerThreads;
import dev.tutti.optim.schedule.Progress;
import dev.tutti.train.callback.CallbackDispatcher;
import dev.tutti.train.checkpoint.AveragedWeights;
import dev.tutti.train.checkpoint.Checkpoint;
import dev.tutti.train.checkpoint.CheckpointSession;
import dev.tutti.train.checkpoint.StateSnapshot;
import dev.tutti.train.profile.StepPace;
import dev.tutti.train.profile.TimeAccount;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.profile.Timing.Phase;
import dev.tutti.train.replica.Agreement;
import dev.tutti.train.replica.Feed;
import dev.tutti.train.replica.Freezing;
import dev.tutti.train.replica.Outcome;
import dev.tutti.train.replica.PartsChangedException;
import dev.tutti.train.replica.PendingResults;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.StepInput;
import dev.tutti.train.replica.StepPlan;
import dev.tutti.train.replica.StepResult;
import dev.tutti.train.replica.Vote;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one training loop: it drives a replica through the epochs, tells the callbacks, and can be cut and gone on with anywhere.
 *
 * <p>Every member runs it. When the members change, those that are left meet again, who lags takes over the state of the furthest,
 * and all go on from the last step they agreed on. Callbacks are the chief's.
 */
final class TrainingLoop {
    private static final Logger LOG = LoggerFactory.getLogger(TrainingLoop.class);

    private final Replica replica;
    private final Team team;
    private final Agreement agreement;
    private final Timing timing;
    private final Dataset data;
    private final Fit fit;
    private final RunProgress runProgress;
    private final CheckpointSession saving;
    private final PendingResults pending;
    private final AveragedWeights averaged;
    private final VisibleRun run;
    private final CallbackDispatcher dispatcher;
    private final Freezing freezing;
    private final RuntimeSettings settings;
    private final GroupRecovery recovery;
    private final EpochReview review;
    private final StepPace pace;
    private final TimeAccount times;
    private boolean ended;
    private boolean interrupted;

    TrainingLoop(
            Replica replica,
            Team team,
            Timing timing,
            TrainingConfig recipe,
            Dataset data,
            Fit fit,
            VisibleRun.ModelSaver modelSaver) {
        this.replica = replica;
        this.team = team;
        agreement = replica.agreement();
        this.timing = timing;
        this.data = Evaluator.prepared(data);
        this.fit = fit;
        replica.batchesPerUpdate(fit.accumulate());
        runProgress = new RunProgress(recipe);
        pending = new PendingResults(recipe.metrics());
        averaged = new AveragedWeights(replica.model(), recipe);
        settings = new RuntimeSettings(team, agreement, recipe.optimizer());
        StateSnapshot snapshot = new StateSnapshot(replica, recipe, averaged, runProgress, settings, fit.callbacks());
        saving = new CheckpointSession(team, agreement, snapshot);
        run = new VisibleRun(
                replica.model(), recipe, this.data, fit, runProgress, saving, averaged, settings, modelSaver);
        run.updatesPerEpoch(replica.updatesPerEpoch());
        dispatcher = new CallbackDispatcher(fit.callbacks(), team, run);
        freezing = new Freezing(team, agreement, replica.model());
        recovery = new GroupRecovery(team, replica, runProgress, snapshot, pending, fit.checkpointFolders());
        review = new EpochReview(replica, team, agreement, recipe, fit.validation(), averaged);
        pace = new StepPace(timing);
        times = new TimeAccount(team, agreement, timing, fit.callbacks());
    }

    /** Goes on from a checkpoint. */
    void resume(Checkpoint checkpoint) {
        recovery.resume(checkpoint);
    }

    /** The members have met, and hold other parts of the model: goes on as a run that was under way, with a checkpoint of it. */
    void goOnAs(String runUnderWay) {
        runProgress.run(runUnderWay);
    }

    /** The run that this is, by which its checkpoints are known. */
    String runName() {
        return runProgress.run();
    }

    Meeting lastMeeting() {
        return recovery.lastMeeting();
    }

    /** How far this member's state is; what a team wants to know when it meets. */
    long progress() {
        return runProgress.progress();
    }

    /** @param meeting the first one, with the state as it was before */
    History run(Meeting meeting) {
        Throwable failure = null;
        boolean goesOnAnew = false;
        try {
            recovery.settle(meeting);
            dispatcher.begin();
            trainEpochs();
            if (times.close()) {
                recovery.leaveTogether();
            }
        } catch (PartsChangedException e) {
            failure = e;
            goesOnAnew = true;
            throw e;
        } catch (GroupChangedException e) {
            failure = e;
            replica.abandon();
            if (recovery.isHeir(e)) {
                dispatcher.inherit();
            }
            throw e;
        } catch (RuntimeException | Error e) {
            failure = e;
            throw e;
        } finally {
            try {
                if (!goesOnAnew) {
                    end(failure);
                }
            } finally {
                if (failure != null) {
                    averaged.close();
                }
            }
        }
        averaged.leave();
        return run.history(ended, interrupted || run.interrupted(), times.report(), replica.report());
    }

    private void end(Throwable failure) {
        try {
            saving.during(failure == null, () -> dispatcher.end(failure));
        } catch (GroupChangedException e) {
            if (failure != null) {
                throw e;
            }
            LOG.warn("{}; the last checkpoint was not saved, the one before it stays", e.getMessage());
        }
    }

    private void trainEpochs() {
        while (runProgress.epoch() < fit.epochs() && !ended) {
            try {
                dispatcher.begin();
                trainEpoch();
                if (!ended) {
                    finishEpoch();
                }
            } catch (GroupChangedException e) {
                recovery.meetAgain(e);
            }
        }
    }

    /** An epoch, or what is left of it. */
    private void trainEpoch() {
        if (team.group().size() * team.threads() > 1) {
            CompilerThreads.giveWay(); // a worker that no other waits for gains more from compiled code
        }
        boolean more = true;
        while (more && !ended) {
            try (Feed feed = replica.open(
                    data, runProgress.epoch(), runProgress.position().orElse(null))) {
                pace.restart(); // opening files says nothing of it
                more = agreeOnMore(feed.hasNext());
                freezing.agree();
                settings.agree();
                boolean reopen = false;
                while (more && !ended && !reopen) {
                    Outcome outcome = step(feed);
                    more = outcome.more();
                    reopen = outcome.reopen();
                }
            }
        }
    }

    /** Whether any member has data, or wants to end: asked where no step says it. */
    private boolean agreeOnMore(boolean mine) {
        long began = System.nanoTime();
        boolean[] votes = agreement.any("more and stop", mine, run.stopping(), run.interrupted());
        if (team.group().size() > 1) {
            timing.record(Phase.WAIT, began);
        }
        ended = ended || votes[1];
        interrupted = interrupted || votes[2];
        return votes[0];
    }

    /** One update, from as many batches as it takes; at the end of an epoch from what is left. */
    private Outcome step(Feed feed) {
        team.check();
        long step = runProgress.step() + pending.steps();
        run.rate(settings.optimizer().rate(progressOf(step)));
        Outcome outcome = replica.step(new StepPlan(step, run.learningRate()), new Turns(feed));
        averaged.update(outcome.steps());
        pending.stepDone();
        if (outcome.steps() > 0) {
            agreed(outcome, feed);
        }
        return outcome;
    }

    /** The turns of a feed that make one step. */
    private final class Turns implements StepInput {
        private final Feed feed;
        private int taken;

        Turns(Feed feed) {
            this.feed = feed;
        }

        @Override
        public Optional<Batch> next() {
            while (taken < fit.accumulate()) { // also turns in which this member has nothing count
                taken++;
                Optional<Batch> batch = feed.next();
                if (batch.isPresent()) {
                    return batch;
                }
            }
            return Optional.empty();
        }

        @Override
        public void measured(Batch batch, StepResult result) {
            pending.add(result, batch);
        }

        @Override
        public Vote vote() {
            boolean toTell = freezing.isPending() || settings.isPending();
            return new Vote(
                    feed.hasNext(), run.stopping(), run.interrupted(), toTell, dispatcher.needsState(), pending);
        }
    }

    /** What the schedule goes by. */
    private Progress progressOf(long step) {
        long steps = run.stepsPerEpoch().orElse(0);
        return new Progress(step, steps, steps * fit.epochs(), runProgress.observed());
    }

    private void agreed(Outcome outcome, Feed feed) {
        long own = pending.samples();
        double seconds = pace.measure(own, outcome.samples(), team.group().size());
        times.step(outcome.steps(), own);
        pending.countInto(runProgress.totals());
        Position position = feed.position();
        runProgress.advance(outcome, position);
        run.agreed(outcome);
        ended = ended || outcome.stop();
        interrupted = interrupted || outcome.interrupted();
        team.report(new Report(runProgress.epoch(), runProgress.step(), position.rows(), seconds, outcome.loss()));
        saving.during(outcome.state(), () -> dispatcher.tell(callback -> callback.step(run)));
        freezing.holdBack();
        ended = ended || team.group().size() == 1 && run.stopping();
    }

    private void finishEpoch() {
        if (runProgress.totals().samples() == 0) {
            throw new TrainingException("the training data has no samples: " + data);
        }
        EpochResult result = review.of(runProgress, run.learningRate());
        runProgress.finishEpoch(result);
        saving.during(true, () -> dispatcher.tell(callback -> callback.epoch(run, result)));
        freezing.holdBack();
    }
}
