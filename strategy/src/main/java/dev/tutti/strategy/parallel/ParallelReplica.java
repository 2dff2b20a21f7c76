package dev.tutti.strategy.parallel;

import dev.tutti.array.Range;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Member;
import dev.tutti.comm.Team;
import dev.tutti.data.Batch;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.json.Json;
import dev.tutti.nn.Model;
import dev.tutti.nn.ModelPlan;
import dev.tutti.strategy.allreduce.RunningStatistics;
import dev.tutti.strategy.parallel.pipeline.MicroBatch;
import dev.tutti.strategy.parallel.pipeline.ScheduleTable;
import dev.tutti.strategy.parallel.pipeline.StageLinks;
import dev.tutti.strategy.parallel.pipeline.StageRunner;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.profile.Timing.Phase;
import dev.tutti.train.replica.Agreement;
import dev.tutti.train.replica.Feed;
import dev.tutti.train.replica.HeldState;
import dev.tutti.train.replica.Outcome;
import dev.tutti.train.replica.PartForward;
import dev.tutti.train.replica.PartsChangedException;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.StateLostException;
import dev.tutti.train.replica.StepInput;
import dev.tutti.train.replica.StepPlan;
import dev.tutti.train.replica.StrategyReport;
import dev.tutti.train.replica.Vote;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One member of a grid. Its set runs the micro-batches of a step through the stages; then all members agree on the step, those that hold the
 * same part sum their gradients, and each moves its part.
 */
final class ParallelReplica implements Replica {
    private static final Logger LOG = LoggerFactory.getLogger(ParallelReplica.class);

    private final Parallel strategy;
    private final TrainingConfig recipe;
    private final Team team;
    private final Timing timing;
    private final Agreement agreement;
    private final PartPlans plans;
    private final int place;
    private final Model model;
    private final StageState state;
    private final RunningStatistics statistics;
    private final SliceSum sliceSum = new SliceSum();
    private final GradientExchange exchange;
    private final StepMeasurements measured = new StepMeasurements();
    private final UnflushedSteps unflushed; // null where steps end with a flush
    private Seats seats;
    private long generation;
    private StageLinks links;
    private StageRunner runner;
    private int batchSize;
    private int batchesPerUpdate = 1;
    private long predicted;
    private boolean stateLost;

    /** @param again whether this member has held another part of the run before */
    ParallelReplica(
            Parallel strategy, ModelPlan whole, TrainingConfig recipe, Team team, Timing timing, boolean again) {
        this.strategy = strategy;
        this.recipe = recipe;
        this.team = team;
        this.timing = timing;
        agreement = Agreement.over(team);
        List<Seats.Claim> claims = claims(Seats.Claim.none(again));
        seats = seats(claims);
        while (seats.displaces(claims)) { // the others give up what they hold, and say so
            claims = claims(Seats.Claim.none(again));
            seats = seats(claims);
        }
        stateLost = claims.stream().anyMatch(Seats.Claim::again);
        plans = new PartPlans(strategy, whole, seats.grid(), cuts(claims, whole));
        generation = team.group().generation();
        place = seats.place(team.group().rank());
        model = plans.of(place).build();
        if (seats.grid().tensor() > 1) {
            model.shareTensors(sliceSum);
        }
        state = new StageState(model, recipe.optimizer(), strategy.shardsState());
        statistics = new RunningStatistics(model);
        exchange = new GradientExchange(model, recipe.optimizer().clipping(), plans, place);
        unflushed = strategy.flushes() || seats.grid().pipeline() == 1 ? null : unflushed();
    }

    private UnflushedSteps unflushed() {
        if (exchange.needsAllStages()) {
            model.close();
            throw new TrainingException(
                    "parallel: flush: false: each stage moves by itself, expected a model whose stages share no"
                            + " parameters and an optimizer that does not clip by the length of all gradients (clipNorm)");
        }
        UnflushedSteps steps = new UnflushedSteps(plans.of(place), model, state, exchange, statistics);
        if (seats.grid().tensor() > 1) {
            steps.copies().forEach(copy -> copy.shareTensors(sliceSum));
        }
        return steps;
    }

    private List<Seats.Claim> claims(Seats.Claim mine) {
        return agreement.texts("places of the grid", Json.write(mine)).stream()
                .map(text -> Json.read(text, Seats.Claim.class, "another member's place"))
                .toList();
    }

    private Seats seats(List<Seats.Claim> claims) {
        return Seats.of(strategy.grid(claims.size()), claims);
    }

    /** Where the parts begin: as the members know that are there already, else as the first one measures. */
    private List<Integer> cuts(List<Seats.Claim> claims, ModelPlan whole) {
        Optional<Seats.Claim> known =
                claims.stream().filter(claim -> claim.isOf(seats.grid())).findFirst();
        if (known.isPresent()) {
            return known.get().cuts();
        }
        String text = agreement.text(
                "cuts of the model",
                () -> Json.write(new Seats.Claim(0, 0, -1, PartPlans.findCuts(strategy, whole, seats.grid()), false)),
                0);
        return Json.read(text, Seats.Claim.class, "the first member's cuts").cuts();
    }

    @Override
    public Model model() {
        return model;
    }

    private int set() {
        return seats.set(team.group().rank());
    }

    @Override
    public Feed open(Dataset data, int epoch, Position from) {
        if (data.isSupplied() && seats.grid().set() > 1) {
            throw new TrainingException("parallel: all members of a set read the same rows, and " + data
                    + " has rows that only some members have: expected data that every member can read");
        }
        statistics.keep();
        batchSize = data.batchSize().orElse(1);
        int sets = seats.grid().data();
        boolean inReserve = seats.sets().contains(-1);
        if (sets == 1 && !inReserve) {
            return Feed.whole(data, epoch, from, timing);
        }
        Range share = set() < 0 ? new Range(0, 0) : new Range(0, batchSize).part(set(), sets);
        return Feed.share(data, share, epoch, from, timing);
    }

    @Override
    public void batchesPerUpdate(int count) {
        batchesPerUpdate = count;
    }

    @Override
    public Outcome step(StepPlan plan, StepInput input) {
        List<MicroBatch> micros = new ArrayList<>();
        for (Optional<Batch> batch = input.next(); batch.isPresent(); batch = input.next()) {
            micros.addAll(MicroBatch.of(batch.get(), strategy.microBatchCount()));
        }
        measured.begin(input);
        double divisor = (double) batchSize * batchesPerUpdate;
        StageRunner.Step step = new StageRunner.Step(
                plan.number(),
                micros,
                new long[] {recipe.seed(), plan.number(), Math.max(0, set())},
                divisor,
                (micro, result) -> {
                    if (speaks()) {
                        measured.add(micro, result);
                    }
                });
        return unflushed == null ? flushed(plan, step, input) : unflushed(plan, step, input);
    }

    private Outcome flushed(StepPlan plan, StageRunner.Step step, StepInput input) {
        List<MicroBatch> micros = step.microBatches();
        runner.run(ScheduleTable.of(strategy.schedule(), seats.grid().pipeline(), model.chunks(), micros.size()), step);
        Vote vote = input.vote();
        long began = System.nanoTime();
        double[] sums = team.collectives()
                .sum(
                        "tally",
                        measured.samples(),
                        measured.lossSum(),
                        vote.more() ? 1 : 0,
                        vote.stop() ? 1 : 0,
                        vote.interrupted() ? 1 : 0,
                        vote.reopen() ? 1 : 0,
                        vote.state() ? 1 : 0,
                        measured.samples() > 0 ? 1 : 0);
        vote.pendingMetrics().gather(agreement);
        began = timing.record(Phase.WAIT, began);
        long samples = Math.round(sums[0]);
        if (samples > 0) {
            move(plan.learningRate(), step.divisor() / samples, !micros.isEmpty(), (int) Math.round(sums[7]), began);
        }
        return outcome(samples, sums[1], sums);
    }

    /** Votes are from the third number on. */
    private static Outcome outcome(long samples, double lossSum, double[] sums) {
        boolean more = sums[2] > 0;
        boolean stop = sums[3] > 0;
        return new Outcome(
                1,
                samples,
                samples == 0 ? 0 : lossSum / samples,
                more,
                stop,
                sums[4] > 0,
                sums[5] > 0,
                sums[6] > 0 || !more || stop);
    }

    /** A step whose last micro-batches are still under way when it ends, unless the state is asked for or feeds end. */
    private Outcome unflushed(StepPlan plan, StageRunner.Step step, StepInput input) {
        unflushed.run(step, plan.learningRate());
        Vote vote = input.vote();
        long began = System.nanoTime();
        Collectives all = team.collectives();
        boolean counts = set() >= 0 && seats.place(team.group().rank()) == 0;
        long rows = counts
                ? step.microBatches().stream().mapToLong(MicroBatch::size).sum()
                : 0;
        double[] sums = all.sum(
                "rows and votes",
                rows,
                0,
                vote.more() ? 1 : 0,
                vote.stop() ? 1 : 0,
                vote.interrupted() ? 1 : 0,
                vote.reopen() ? 1 : 0,
                vote.state() ? 1 : 0);
        timing.record(Phase.WAIT, began);
        unflushed.rows(plan.number(), Math.round(sums[0]));
        boolean ends = sums[2] == 0 || sums[3] + sums[4] + sums[5] + sums[6] > 0;
        if (ends) {
            unflushed.drain();
        }
        began = System.nanoTime();
        double[] results = all.sum("results", measured.samples(), measured.lossSum());
        vote.pendingMetrics().gather(agreement);
        timing.record(Phase.WAIT, began);
        state.finished();
        return outcome(Math.round(results[0]), results[1], sums);
    }

    /** Whether this member speaks for its set: it has the loss. */
    private boolean speaks() {
        return set() >= 0 && runner.speaks() && seats.slice(team.group().rank()) == 0;
    }

    private void move(double learningRate, double factor, boolean hadData, int busySets, long began) {
        exchange.sum(factor);
        statistics.average(exchange.twins(), hadData, busySets);
        if (!state.isSharded()) {
            awaitOtherParts("gradients are summed");
        }
        long summed = timing.record(Phase.WIRE, began);
        state.apply(learningRate, state.isSharded() && exchange.twins().group().size() > 1);
        summed = timing.record(Phase.UPDATE, summed);
        if (state.isSharded()) {
            exchange.shareValues(state);
            awaitOtherParts("moved parameters are shared");
            timing.record(Phase.WIRE, summed);
        }
        state.finished();
        statistics.keep();
    }

    /** A member may be lost while its twins sum with it: then no part moves, since all of them move or none does. */
    private void awaitOtherParts(String what) {
        int set = seats.grid().set();
        if (set > 1 && team.group().size() > set) {
            team.collectives().barrier(what);
        }
    }

    @Override
    public Optional<PartForward> forwardOfParts() {
        if (model.plan().isWhole()) {
            return Optional.empty();
        }
        boolean speaks = speaks();
        return Optional.of(new PartForward() {
            @Override
            public int set() {
                return ParallelReplica.this.set();
            }

            @Override
            public int sets() {
                return seats.grid().data();
            }

            @Override
            public Optional<List<Tensor>> run(Batch batch) {
                Optional<List<Tensor>> outputs = runner.predict(batch, predicted++);
                return speaks ? outputs : Optional.empty();
            }
        });
    }

    @Override
    public Model finished() {
        Model whole = WholeModel.gather(model, agreement, team.group().rank());
        try {
            agreement.barrier("the whole model"); // a member that leaves before would cut off what others still take
        } catch (GroupChangedException e) {
            LOG.debug("members left before all had the whole model: {}", e.getMessage());
        }
        return whole;
    }

    @Override
    public void abandon() {
        state.abandon();
        statistics.restore();
        measured.forget();
        if (unflushed != null) {
            unflushed.forget();
        }
    }

    @Override
    public void regrouped() {
        abandon();
        Group group = team.group();
        if (generation != group.generation()) {
            Grid grid = plans.grid();
            List<Seats.Claim> claims =
                    claims(new Seats.Claim(grid.tensor(), grid.pipeline(), place, plans.cuts(), false));
            seats = seats(claims);
            generation = group.generation();
            if (seats.displaces(claims)) {
                throw new PartsChangedException("of the grid " + grid + " " + claims.size()
                        + " members are there, who do not hold all parts of the model: it becomes " + seats.grid());
            }
        }
        form();
        if (stateLost) {
            stateLost = false;
            throw new StateLostException("members were lost with their parts of the model");
        }
    }

    /** Opens what the members of this group compute together along each axis. */
    private void form() {
        Group group = team.group();
        int rank = group.rank();
        exchange.formed(team, seats);
        List<Integer> slices = seats.slices(rank);
        sliceSum.formed(slices.size() == 1 ? null : team.collectives(group.sub(slices)));
        if (links != null) {
            links.close();
        }
        List<Member> holders = new ArrayList<>();
        for (int part = 0; part < plans.parts(); part++) {
            int holder =
                    set() < 0 ? rank : seats.rankOf(set(), part % seats.grid().pipeline(), seats.slice(rank));
            holders.add(group.members().get(holder));
        }
        links = new StageLinks(team, holders, set() + "/" + seats.slice(rank), strategy.deadline());
        runner = runner(model, rank);
        if (unflushed != null) {
            unflushed.formed(
                    unflushed.copies().stream().map(copy -> runner(copy, rank)).toList(),
                    seats.stage(rank),
                    seats.grid().pipeline());
        }
        predicted = 0;
        List<Integer> twins = seats.twins(rank);
        state.formed(twins.indexOf(rank), twins.size());
    }

    private StageRunner runner(Model of, int rank) {
        return new StageRunner(
                of,
                recipe.loss(),
                links,
                timing,
                seats.stage(rank),
                seats.grid().pipeline(),
                strategy.recomputes(),
                !recipe.metrics().isEmpty(),
                sliceSum::check);
    }

    /** How often the weights of the part are held, each with gradients. */
    int weightCopies() {
        return 1 + (unflushed == null ? 0 : unflushed.copies().size());
    }

    /** Bytes that went to other stages since the members met. */
    long sentBytes() {
        return links.sentBytes();
    }

    /** Bytes that were summed with the other slices of the stage. */
    long summedBytes() {
        return sliceSum.bytes();
    }

    /** The most micro-batches whose activations were held at once. */
    int mostAlive() {
        return unflushed == null ? runner.mostAlive() : unflushed.mostAlive();
    }

    /** What this member has sent since the members met. */
    @Override
    public StrategyReport report() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("stageBytes", links == null ? 0 : sentBytes());
        values.put("summedBytes", summedBytes());
        return new StrategyReport("", values);
    }

    @Override
    public Agreement agreement() {
        return agreement;
    }

    @Override
    public HeldState state() {
        return state;
    }

    @Override
    public void close() {
        if (links != null) {
            links.close();
        }
        if (unflushed != null) {
            unflushed.close();
        }
        state.close();
        statistics.close();
    }
}
