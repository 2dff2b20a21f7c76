package dev.tutti.strategy.ps;

import dev.tutti.TuttiException;
import dev.tutti.array.Range;
import dev.tutti.comm.Group;
import dev.tutti.comm.Message;
import dev.tutti.comm.Team;
import dev.tutti.data.Batch;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.nn.Model;
import dev.tutti.optim.Clipping;
import dev.tutti.strategy.allreduce.RunningStatistics;
import dev.tutti.strategy.allreduce.StepTally;
import dev.tutti.strategy.compression.GradientEncoder;
import dev.tutti.strategy.ps.ShardRequests.Change;
import dev.tutti.strategy.ps.ShardRequests.Commit;
import dev.tutti.strategy.ps.ShardRequests.Length;
import dev.tutti.strategy.ps.ShardRequests.Store;
import dev.tutti.table.RowGradients;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.train.TrainingConfig;
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
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker of the synchronous agreement. A step: each worker pushes the gradients of its part of the batch, which the servers keep; the
 * workers agree that all of them have; the chief lets the servers apply the sum; all pull the new values.
 *
 * <p>A shard that has applied a step proves that the step was agreed on and that all shards have its gradients. So after a loss the
 * others complete such a step and count it, and repeat any other.
 */
final class SynchronousReplica implements Replica {
    private static final Logger LOG = LoggerFactory.getLogger(SynchronousReplica.class);

    private final TrainingConfig recipe;
    private final Team team;
    private final Timing timing;
    private final Agreement agreement;
    private final LocalWorkers workers;
    private final ServerAccess servers;
    private final RunningStatistics statistics;
    private final GradientEncoder encoder;
    private final BatchSizeSetting sizes;
    private int batchSize;
    private boolean prepared;
    private long version; // of the shards

    SynchronousReplica(ParameterServer strategy, Model model, TrainingConfig recipe, Team team, Timing timing) {
        this.recipe = recipe;
        this.team = team;
        this.timing = timing;
        agreement = Agreement.over(team);
        workers = new LocalWorkers(model, recipe, team.threads());
        servers = new ServerAccess(strategy, recipe, workers, team, agreement);
        statistics = new RunningStatistics(model);
        encoder = strategy.encoder();
        sizes = new BatchSizeSetting(team, agreement);
    }

    @Override
    public Model model() {
        return workers.model();
    }

    @Override
    public Feed open(Dataset defined, int epoch, Position from) {
        Dataset data = sizes.apply(defined, epoch);
        batchSize = data.batchSize().orElse(1);
        statistics.keep();
        workers.shareStatistics();
        Group group = team.group();
        return group.size() == 1
                ? Feed.whole(data, epoch, from, timing)
                : Feed.share(data, new Range(0, batchSize).part(group.rank(), group.size()), epoch, from, timing);
    }

    @Override
    public Outcome step(StepPlan plan, StepInput input) {
        if (!prepared) {
            version = servers.prepare(plan.number(), 0, true);
            servers.pull(version, null, 0);
            prepared = true;
        }
        boolean applied = version > plan.number(); // by a group that broke before all of it had counted the step
        OwnPart own = new OwnPart();
        for (Optional<Batch> batch = input.next(); batch.isPresent(); batch = input.next()) {
            input.measured(batch.get(), pass(plan, batch.get(), own));
        }
        Vote vote = input.vote();
        long began = System.nanoTime();
        if (own.samples > 0 && !applied) {
            push(plan.number());
        }
        began = timing.record(Phase.WIRE, began);
        StepTally tally = StepTally.cast(team.collectives(), own.samples, own.lossSum, own.seconds, vote);
        vote.pendingMetrics().gather(agreement);
        began = timing.record(Phase.WAIT, began);
        if (tally.samples() > 0) {
            boolean commits = team.group().isChief() && !applied;
            if (commits) {
                commit(plan, tally);
            }
            version = plan.number() + 1;
            averageStatistics(own.samples > 0, tally.busy());
            if (!commits) { // the answers to a commit have the values
                servers.pull(version, null, 0);
            }
            if (tally.stateWanted() || tally.reopen()) {
                servers.readState();
            }
            statistics.keep();
        }
        timing.record(Phase.WIRE, began);
        return new Outcome(
                1, tally.samples(), tally.loss(), tally.more(), tally.stop(), tally.interrupted(), tally.reopen());
    }

    /** What this member did in the step under way. */
    private static final class OwnPart {
        private int batches;
        private long samples;
        private double lossSum;
        private double seconds;
    }

    private StepResult pass(StepPlan plan, Batch batch, OwnPart own) {
        long began = System.nanoTime();
        int firstWorker = team.group().rank() * team.threads();
        StepResult result = workers.backward(
                batch, new LocalWorkers.Turn(plan.number(), own.batches, firstWorker, batchSize), BackwardOverlap.NONE);
        own.batches++;
        own.samples += result.size();
        own.lossSum += result.loss() * result.size();
        own.seconds += (timing.record(Phase.COMPUTE, began) - began) / 1e9;
        return result;
    }

    private void push(long step) {
        long generation = team.group().generation();
        int rank = team.group().rank();
        workers.gradients();
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            List<RowGradients> rows = servers.tables().split(model().rowGradients());
            servers.client().tell(BackupLinks.topic(Change.STORE), shard -> {
                PushBody body = new PushBody()
                        .gradients(encoder.encode(
                                model().vector().written(servers.client().range(shard))))
                        .rows(rows.get(shard));
                return ShardClient.Request.of(
                        new Store(shard, generation, step, rank, body.contents()), body.tensors());
            });
        }
    }

    private void commit(StepPlan plan, StepTally tally) {
        List<Integer> ranks = new ArrayList<>();
        for (int rank = 0; rank < team.group().size(); rank++) {
            if (tally.secondsPerSample()[rank] > 0) {
                ranks.add(rank);
            }
        }
        long generation = team.group().generation();
        double factor = (double) batchSize / tally.samples(); // gradients were divided by the size of a full batch
        double scale = clipScale(new Length(0, generation, plan.number(), ranks, factor));
        Commit commit = new Commit(
                0, generation, plan.number(), ranks, plan.learningRate(), factor, scale, model().trainable(), true);
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            servers.client()
                    .tell(
                            BackupLinks.topic(Change.COMMIT),
                            shard -> ShardClient.Request.of(commit.on(shard))
                                    .into(model().vector()
                                            .values(servers.client().range(shard))));
        }
    }

    private double clipScale(Length asked) {
        Clipping clipping = recipe.optimizer().clipping();
        if (clipping.norm() <= 0) {
            return 1;
        }
        double squares = 0;
        List<Message> answers =
                servers.client().all(ShardServer.LENGTH, shard -> ShardClient.Request.of(asked.on(shard)));
        for (Message answer : answers) {
            try (answer) {
                squares += answer.body().get(0).item();
            }
        }
        double length = Math.sqrt(squares);
        return length > clipping.norm() && Double.isFinite(length) ? clipping.norm() / length : 1;
    }

    private void averageStatistics(boolean hadData, int busy) {
        if (team.group().size() > 1) {
            workers.averageStatistics();
            statistics.average(team.collectives(), hadData, busy);
            workers.shareStatistics();
        } else {
            workers.averageStatistics();
        }
    }

    @Override
    public void abandon() {
        statistics.restore();
        try {
            servers.pull(version, null, 0);
            servers.readState();
        } catch (TuttiException e) {
            LOG.warn("the state of the last agreement could not be read from the servers: {}", e.getMessage());
        }
    }

    @Override
    public void regrouped() {
        statistics.restore();
        prepared = false;
        workers.amongOthers(team.group().size() > 1);
        servers.regrouped();
    }

    @Override
    public void startOver() {
        servers.startOver();
    }

    @Override
    public Agreement agreement() {
        return agreement;
    }

    @Override
    public HeldState state() {
        return HeldState.whole(workers.state());
    }

    @Override
    public void close() {
        servers.close();
        workers.close();
        statistics.close();
    }
}
