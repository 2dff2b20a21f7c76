package dev.tutti.strategy.ps;

import dev.tutti.TuttiException;
import dev.tutti.array.NdArray;
import dev.tutti.comm.ChunkPreference;
import dev.tutti.comm.Leases;
import dev.tutti.comm.Message;
import dev.tutti.comm.Team;
import dev.tutti.data.Batch;
import dev.tutti.data.Chunk;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.nn.Model;
import dev.tutti.optim.Clipping;
import dev.tutti.strategy.compression.GradientEncoder;
import dev.tutti.strategy.ps.ShardRequests.Change;
import dev.tutti.strategy.ps.ShardRequests.Contents;
import dev.tutti.strategy.ps.ShardRequests.Push;
import dev.tutti.strategy.ps.ShardRequests.Pushed;
import dev.tutti.strategy.ps.ShardRequests.WorkerClock;
import dev.tutti.strategy.ps.board.BoardEntry;
import dev.tutti.strategy.ps.board.BoardEntry.Effort;
import dev.tutti.strategy.ps.board.WorkerPaces;
import dev.tutti.table.RowGradients;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.feed.ChunkHolders;
import dev.tutti.train.feed.EpochLedger;
import dev.tutti.train.feed.LeasesAhead;
import dev.tutti.train.feed.RoundFeed;
import dev.tutti.train.feed.UsedChunks;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.profile.Timing.Phase;
import dev.tutti.train.replica.Agreement;
import dev.tutti.train.replica.Feed;
import dev.tutti.train.replica.HeldState;
import dev.tutti.train.replica.LocalReplica;
import dev.tutti.train.replica.Outcome;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.StepInput;
import dev.tutti.train.replica.StepPlan;
import dev.tutti.train.replica.StepResult;
import dev.tutti.train.replica.StrategyReport;
import dev.tutti.train.replica.Vote;
import dev.tutti.train.worker.BackwardOverlap;
import dev.tutti.train.worker.LocalWorkers;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker that pushes the gradients of its own batches when it has them, and then goes on with the newest values: at once, or when it is
 * no further ahead of the slowest worker than the bound.
 *
 * <p>What came of each push is an entry of a board that a server keeps. An outcome is what the board has gained since this worker looked
 * last, so every worker counts every push once and in the same order, and none waits for another. At the end of an epoch all wait until
 * the board is complete.
 */
final class AsynchronousReplica implements Replica {
    private static final Logger LOG = LoggerFactory.getLogger(AsynchronousReplica.class);

    private final ParameterServer strategy;
    private final TrainingConfig recipe;
    private final Team team;
    private final Timing timing;
    private final BoardAgreement agreement;
    private final LocalWorkers workers;
    private final ServerAccess servers;
    private final BoardReader board;
    private final List<GradientEncoder> encoders = new ArrayList<>(); // by shard
    private final PullAhead ahead; // null where values are pulled when they are needed
    private final Tensor read; // the number of the first board entry that has not been counted yet; part of the state
    private final BatchSizeSetting sizes;
    private final LeasesAhead leases;
    private final WorkerPaces paces = new WorkerPaces();
    private EpochLedger ledger;
    private RoundFeed feed;
    private int batchesPerUpdate = 1;
    private int epoch;
    private int round;
    private boolean prepared;
    private boolean stale = true; // the values are not those that were pulled after the last push
    private long[] versions;
    private long sequence;
    private long clock;
    private final List<Batch> kept = new ArrayList<>(); // of the push under way, where it may have to be computed again
    private boolean late;
    private long atLeast; // updates that the next values must have
    private int dropped; // attempts at the push under way that came too late
    private long allPushes; // this and the following: of all workers, as the board tells
    private long allDropped;
    private double rate;
    private int batches; // this and the following: since the last push
    private int steps;
    private long busyNanos;
    private long samples;
    private double lossSum;
    private double divisor;

    AsynchronousReplica(ParameterServer strategy, Model model, TrainingConfig recipe, Team team, Timing timing) {
        this.strategy = strategy;
        this.recipe = recipe;
        this.team = team;
        this.timing = timing;
        agreement = new BoardAgreement(Agreement.over(team));
        sizes = new BatchSizeSetting(team, agreement);
        leases = new LeasesAhead(team.leases(Leases.TRAINING));
        workers = new LocalWorkers(model, recipe, team.threads());
        servers = new ServerAccess(strategy, recipe, workers, team, agreement);
        board = new BoardReader(servers.client(), team);
        ahead = strategy.isPipelined() ? new PullAhead(servers.client(), model.vector()) : null;
        for (int shard = 0; shard < servers.client().shards(); shard++) {
            encoders.add(strategy.encoder());
        }
        try (Scope scope = Scope.open()) {
            read = Tensor.of(new long[] {-1}, 1).retain();
        }
    }

    @Override
    public Model model() {
        return workers.model();
    }

    // ---- data

    @Override
    public Feed open(Dataset defined, int epochNumber, Position from) {
        Dataset data = sizes.apply(defined, epochNumber);
        epoch = epochNumber;
        round++;
        clock = 0;
        atLeast = 0;
        stale = true;
        forget();
        if (ahead != null) {
            ahead.forget();
        }
        int batchesPerChunk = strategy.pushEvery() * Math.max(1, batchesPerUpdate);
        long rows = (long) data.batchSize().orElse(1) * batchesPerChunk;
        Dataset whole = Feed.wholeBatches(data, "parameter servers").keepLast(); // chunks end where they end
        UsedChunks used = from == null ? new UsedChunks(rows, new BitSet()) : UsedChunks.at(from);
        List<Chunk> chunks = whole.chunks(epoch, used.rowsPerChunk());
        if (servers.isSetUp()) { // entries that this worker has not counted yet tell of chunks that are used
            board.peek(counted()).stream()
                    .filter(entry -> entry.epoch() == epoch)
                    .flatMap(entry -> entry.chunks().stream())
                    .forEach(used.numbers()::set);
        }
        if (ledger != null && ledger.epoch() == epoch) {
            ledger.giveBack();
        }
        ledger = new EpochLedger(
                leases,
                epoch,
                chunks.size(),
                used.numbers(),
                ChunkHolders.everywhere(team.group(), chunks.size()),
                ChunkPreference.NONE);
        int batch =
                Math.toIntExact(Math.max(1, used.rowsPerChunk() / batchesPerChunk)); // that of the epoch's beginning
        feed = new RoundFeed(whole.batch(batch), epoch, used, chunks, ledger, timing);
        return feed;
    }

    @Override
    public void batchesPerUpdate(int count) {
        batchesPerUpdate = count;
    }

    // ---- a step

    @Override
    public Outcome step(StepPlan plan, StepInput input) {
        if (!prepared) {
            prepare(plan.number());
        }
        long reading = System.nanoTime();
        for (Optional<Batch> batch = input.next(); batch.isPresent(); batch = input.next()) {
            busyNanos += System.nanoTime() - reading;
            if (stale) {
                pull();
            }
            input.measured(batch.get(), pass(plan, batch.get()));
            if (quorum() > 0) {
                kept.add(batch.get());
            }
            reading = System.nanoTime();
        }
        steps++;
        Vote vote = input.vote();
        if (vote.more() && !feed.endsRound(steps, strategy.pushEvery())) {
            return new Outcome(0, 0, Double.NaN, true, false, false, false);
        }
        long began = System.nanoTime();
        List<Integer> mine = feed.chunksOfRound();
        BoardEntry entry = new BoardEntry(
                epoch,
                samples > 0 ? 1 : 0,
                samples,
                lossSum,
                vote.stop(),
                vote.interrupted(),
                vote.reopen(),
                effort(),
                mine,
                new long[0]);
        List<BoardEntry> news = report(plan, entry, vote);
        timing.record(Phase.WIRE, began);
        return outcome(news, vote);
    }

    private Effort effort() {
        return new Effort(team.group().rank(), busyNanos, dropped);
    }

    /** All workers are at their first step since they met. */
    private void prepare(long number) {
        if (counted() < 0) {
            count(number);
        }
        servers.prepare(number, counted(), false);
        count(servers.entries());
        prepared = true;
        stale = true;
        clock = 0;
        agreement.barrier("shards are ready");
    }

    private void pull() {
        long began = System.nanoTime();
        if (ahead == null) {
            versions = servers.pull(atLeast, turn(clock), mostAhead());
        } else {
            versions = ahead.await(0, turn(clock), mostAhead());
            ahead.begin(0, turn(clock + paces.clocks(team.group().rank())), mostAhead());
        }
        stale = false;
        timing.record(Phase.WAIT, began);
    }

    /** The bound, which may be set anew while training runs. */
    private long mostAhead() {
        String set = team.configuration().values().get(ParameterServer.STALENESS);
        return set == null ? strategy.mostAhead() : ParameterServer.staleness(set, strategy.mostAhead());
    }

    private WorkerClock turn(long at) {
        return new WorkerClock(
                team.group().generation(),
                round,
                team.group().size(),
                team.group().rank(),
                at);
    }

    private StepResult pass(StepPlan plan, Batch batch) {
        long began = System.nanoTime();
        divisor = batches == 0 ? batch.size() : divisor;
        int firstWorker = team.group().rank() * team.threads();
        StepResult result = workers.backward(
                batch, new LocalWorkers.Turn(plan.number(), batches, firstWorker, divisor), BackwardOverlap.NONE);
        batches++;
        samples += result.size();
        lossSum += result.loss() * result.size();
        busyNanos += timing.record(Phase.COMPUTE, began) - began;
        return result;
    }

    /** Pushes the gradients, and with them what came of them; gets the entries of the board that this worker has not counted yet. */
    private List<BoardEntry> push(StepPlan plan, BoardEntry entry, boolean more) {
        Tensor gradients = workers.gradients();
        workers.averageStatistics();
        if (batches > 1) {
            workers.scaleGradients(divisor / samples);
        }
        Clipping clipping = recipe.optimizer().clipping();
        if (clipping.isOn()) {
            try (NoGradients off = NoGradients.begin()) {
                LocalReplica.clip(clipping, gradients, model().rowGradients());
            }
        }
        clock += paces.clocks(team.group().rank());
        sequence++;
        boolean pulls = more && pullsWithPushes();
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            List<RowGradients> rows = servers.tables().split(model().rowGradients());
            IntFunction<ShardClient.Request> request = shard -> {
                PushBody body = new PushBody()
                        .gradients(encoders.get(shard)
                                .encode(model().vector()
                                        .written(servers.client().range(shard))))
                        .rows(rows.get(shard));
                if (shard == BoardReader.SHARD) {
                    body.entry(entry.numbers());
                }
                ShardClient.Request push = ShardClient.Request.of(
                                head(shard, plan.learningRate(), turn(clock), body.contents(), pulls), body.tensors())
                        .toTheEnd();
                return pulls
                        ? push.into(model().vector().values(servers.client().range(shard)))
                        : push;
            };
            boolean firstDecides = quorum() > 0; // the others have the gradients of every push that it accepts
            if (firstDecides) {
                servers.client()
                        .tell(
                                BackupLinks.topic(Change.PUSH),
                                shard -> shard == BoardReader.SHARD ? null : request.apply(shard));
            }
            List<Message> answers = servers.client()
                    .all(
                            BackupLinks.topic(Change.PUSH),
                            shard -> firstDecides && shard != BoardReader.SHARD ? null : request.apply(shard));
            stale = !pulls || answers.stream().anyMatch(answer -> answer.body().isEmpty());
            Pushed first = null;
            for (int shard = answers.size() - 1; shard >= 0; shard--) {
                if (answers.get(shard) != null) {
                    try (Message answer = answers.get(shard)) {
                        first = ShardRequests.read(answer.head(), Pushed.class);
                    }
                    if (!stale) {
                        versions[shard] = first.version();
                    }
                }
            }
            late = first.late();
            atLeast = quorum() > 0 && !late ? versions[0] + 1 : 0;
            return first.entries() == null ? board.peek(counted()) : EntryLog.unpack(first.entries());
        }
    }

    /** Whether answers to pushes bring the next values: not where these come from elsewhere, or the first shard decides about them. */
    private boolean pullsWithPushes() {
        return ahead == null && quorum() == 0 && !strategy.readsCopies();
    }

    private Push head(int shard, double rate, WorkerClock turn, Contents contents, boolean pulls) {
        return new Push(
                shard,
                team.messages().self().id(),
                sequence,
                versions == null ? 0 : versions[shard],
                rate,
                strategy.scalesLate(),
                model().trainable(),
                turn,
                contents,
                counted(),
                quorum() > 0 && shard != BoardReader.SHARD ? Push.KEPT : quorum(),
                pulls ? mostAhead() : Push.NO_VALUES);
    }

    /** Puts an entry on the board, with what was measured, and gets all that this worker has not counted yet. */
    private List<BoardEntry> report(StepPlan plan, BoardEntry entry, Vote vote) {
        List<BoardEntry> news = new ArrayList<>();
        agreement.through(metrics -> {
            news.addAll(exchange(plan, entry.metrics(metrics), vote));
            return news.stream()
                    .map(BoardEntry::metrics)
                    .filter(each -> each.length > 0)
                    .toList();
        });
        try {
            vote.pendingMetrics().gather(agreement);
        } finally {
            agreement.through(null);
        }
        return news.isEmpty() ? exchange(plan, entry, vote) : news; // nothing is gathered where there are no metrics
    }

    /**
     * A worker leaves the round when it has no more data, or has read that one wants to stop or to open feeds anew. The others need
     * not wait for it from then on. It waits until all have left, so that all have read the same entries.
     */
    private List<BoardEntry> exchange(StepPlan plan, BoardEntry entry, Vote vote) {
        rate = plan.learningRate();
        List<BoardEntry> news =
                samples > 0 ? push(plan, entry, vote.more()) : board.report(entry, counted(), turn(clock));
        while (samples > 0 && late) { // the others have made the update without this worker
            dropped++;
            computeAgain(plan);
            news = push(plan, entry.again(lossSum, effort()), vote.more());
        }
        boolean leaves = !vote.more() || news.stream().anyMatch(each -> each.stop() || each.reopen());
        if (!leaves) {
            return news;
        }
        holdBackNobody();
        return board.awaitAll(counted(), turn(StalenessClocks.DONE));
    }

    private int quorum() {
        return strategy.quorum(team.group().size());
    }

    /** The gradients of the same rows, with the newest values. */
    private void computeAgain(StepPlan plan) {
        pull();
        batches = 0;
        samples = 0;
        lossSum = 0;
        kept.forEach(batch -> pass(plan, batch));
    }

    /** This worker pushes no more in the round. */
    private void holdBackNobody() {
        sequence++;
        servers.client()
                .tell(
                        BackupLinks.topic(Change.PUSH),
                        shard -> ShardClient.Request.of(
                                head(shard, rate, turn(StalenessClocks.DONE), Contents.NOTHING, false)));
    }

    private Outcome outcome(List<BoardEntry> news, Vote vote) {
        long all = news.stream().mapToLong(BoardEntry::samples).sum();
        double loss = news.stream().mapToDouble(BoardEntry::lossSum).sum() / all;
        boolean stop = news.stream().anyMatch(BoardEntry::stop);
        boolean interrupted = news.stream().anyMatch(BoardEntry::interrupted);
        boolean reopen = news.stream().anyMatch(BoardEntry::reopen);
        List<Integer> chunks = new ArrayList<>();
        news.stream().filter(entry -> entry.epoch() == epoch).forEach(entry -> chunks.addAll(entry.chunks()));
        feed.agree(chunks);
        news.forEach(this::learn);
        forget();
        count(counted() + news.size());
        boolean ends = stop || !reopen && !vote.more();
        if (ends) {
            servers.pull(0, null, 0);
            averageStatistics();
        }
        if (vote.state() || ends || reopen) {
            pullIfStale();
            servers.readState();
        }
        int updates = news.stream().mapToInt(BoardEntry::updates).sum();
        return new Outcome(updates, all, loss, vote.more() || reopen, stop, interrupted, reopen);
    }

    private void learn(BoardEntry entry) {
        paces.add(entry);
        allPushes += entry.updates();
        allDropped += entry.effort().dropped();
    }

    /** What is saved are the servers' values, not those that this worker has computed with. */
    private void pullIfStale() {
        if (stale) {
            servers.pull(0, null, 0);
        }
    }

    /** At the end of an epoch workers have running statistics of their own batches: all go on with their mean. */
    private void averageStatistics() {
        if (team.group().size() > 1 && model().state().size() > 0) {
            List<Map<String, NdArray>> all = agreement.arrays(
                    "running statistics",
                    Map.of("mean", model().state().values().toArray()));
            try (Scope scope = Scope.open();
                    NoGradients off = NoGradients.begin()) {
                Tensor mean = model().state().values().zero_();
                all.forEach(each -> mean.add_(Tensor.of(each.get("mean")), 1.0 / all.size()));
            }
            workers.shareStatistics();
        }
    }

    private void forget() {
        kept.clear();
        batches = 0;
        steps = 0;
        busyNanos = 0;
        dropped = 0;
        samples = 0;
        lossSum = 0;
    }

    private long counted() {
        return read.toArray().longs()[0];
    }

    private void count(long number) {
        read.write(NdArray.of(new long[] {number}, 1));
    }

    // ---- members and state

    @Override
    public void abandon() {
        try {
            servers.pull(0, null, 0);
            servers.readState();
        } catch (TuttiException e) {
            LOG.warn("the newest state could not be read from the servers: {}", e.getMessage());
        }
    }

    @Override
    public void regrouped() {
        prepared = false;
        round = 0;
        paces.begin(team.group().size());
        forget();
        workers.amongOthers(team.group().size() > 1);
        servers.regrouped();
    }

    @Override
    public void startOver() {
        servers.startOver();
        count(-1);
    }

    @Override
    public Agreement agreement() {
        return agreement;
    }

    @Override
    public HeldState state() {
        Map<String, Tensor> all = new LinkedHashMap<>(workers.state());
        all.put("entries", read);
        return HeldState.whole(all);
    }

    /** Pushes of all workers since this one has joined, and how many of them came too late. */
    @Override
    public StrategyReport report() {
        if (!strategy.hasBackupWorkers()) {
            return StrategyReport.NONE;
        }
        return new StrategyReport(
                allPushes + " pushes made updates; " + allDropped + " came too late, and their rows were computed again"
                        + System.lineSeparator(),
                Map.of("pushes", allPushes, "latePushes", allDropped));
    }

    @Override
    public void close() {
        leases.close();
        if (ahead != null) {
            ahead.close();
        }
        encoders.forEach(GradientEncoder::close);
        servers.close();
        workers.close();
        read.close();
    }
}
