package dev.tutti.strategy.multitask;

import dev.tutti.array.Range;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Team;
import dev.tutti.data.Batch;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.nn.Model;
import dev.tutti.nn.Parameter;
import dev.tutti.optim.Clipping;
import dev.tutti.strategy.averaging.RoundSnapshot;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.PackedRanges;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import dev.tutti.train.multitask.TaskBatches;
import dev.tutti.train.multitask.TaskLoss;
import dev.tutti.train.multitask.TaskParameters;
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
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One member with tasks of its own. All members go through the same batches and take from each the rows of their tasks, so it is clear
 * which rows a round has, wherever its tasks are placed. A round is agreed on or done again whole.
 */
final class PlacedTasksReplica implements Replica {
    private static final Logger LOG = LoggerFactory.getLogger(PlacedTasksReplica.class);
    private static final String ACTIVE = "tasks"; // the setting of the run that names them
    private static final double WORTH_MOVING = 0.2; // tasks move if a round gets shorter by this share
    private static final double LEAST_GAIN = 2e-3; // and by so many seconds
    private static final int PATIENCE = 3; // in so many rounds one after the other
    private static final int UNMEASURED_STEPS = 2; // the first ones of a comparison are slow for other reasons
    private static final int VALUES = 0; // its place in the snapshot

    private final PlacedTasks settings;
    private final TaskLoss loss;
    private final Team team;
    private final Timing timing;
    private final Agreement agreement;
    private final LocalWorkers workers;
    private final RoundSnapshot snapshot;
    private final List<BitSet> tasksOfParameters;
    private final PlacementRecord record;
    private final PlacementHistory history;
    private final ServedParameters served; // null: what members share is averaged
    private final Clipping clipping;
    private final double[] rows; // of each task, by this member in this round
    private final double[] measuredRows;
    private final double[] seconds; // spent on those that were measured
    private boolean[] active;
    private TaskCosts costs;
    private TaskPlacement placement;
    private boolean comparing;
    private boolean underWay;
    private int steps;
    private int unevenRounds;
    private double lossSum;

    PlacedTasksReplica(
            PlacedTasks settings, Model model, TrainingConfig recipe, TaskLoss loss, Team team, Timing timing) {
        this.settings = settings;
        this.loss = loss;
        this.team = team;
        this.timing = timing;
        agreement = Agreement.over(team);
        workers = new LocalWorkers(model, recipe, team.threads());
        tasksOfParameters = TaskParameters.of(model);
        record = new PlacementRecord(team, loss);
        history = new PlacementHistory(loss);
        served = settings.servers() == 0
                ? null
                : new ServedParameters(settings, workers, recipe.optimizer(), team, agreement);
        clipping = recipe.optimizer().clipping();
        rows = new double[loss.count()];
        measuredRows = new double[loss.count()];
        seconds = new double[loss.count()];
        active = named(String.join(",", settings.active()));
        List<Tensor> moving = new ArrayList<>(List.of(model.vector().values()));
        if (model.state().size() > 0) {
            moving.add(model.state().values());
        }
        moving.addAll(workers.state().values());
        snapshot = new RoundSnapshot(moving);
    }

    @Override
    public Model model() {
        return workers.model();
    }

    @Override
    public void batchesPerUpdate(int count) {
        if (count > 1) {
            throw new TrainingException("the strategy placedTasks makes an update of one batch, received accumulate "
                    + count + ": use a larger batch");
        }
    }

    @Override
    public Feed open(Dataset data, int epoch, Position from) {
        keep();
        if (placement == null) {
            begin();
        }
        return Feed.whole(data, epoch, from, timing);
    }

    /** The members have met: all of them try all tasks, to see what each costs and how fast each member is. */
    private void begin() {
        int members = team.group().size();
        costs = new TaskCosts(loss.count(), members);
        comparing = members > 1;
        unevenRounds = 0;
        place(TaskPlacement.everywhere(active, members));
    }

    private void place(TaskPlacement next) {
        placement = next;
        if (!comparing) {
            record.write(next);
            history.placed(next, record::member, team.group().isChief());
        }
    }

    /** Makes an update of this member's own, and agrees with the others where the round ends. */
    @Override
    public Outcome step(StepPlan plan, StepInput input) {
        if (steps == 0 && isServed()) {
            served.prepare(shared());
        }
        for (Optional<Batch> next = input.next(); next.isPresent(); next = input.next()) {
            underWay = true;
            learn(next.get(), plan, input);
        }
        steps++;
        Vote vote = input.vote();
        return steps >= settings.steps() || !vote.more()
                ? agree(vote)
                : new Outcome(0, 0, Double.NaN, true, false, false, false);
    }

    private boolean isServed() {
        return served != null && team.group().size() > 1;
    }

    /** The parameters that learn, serve several tasks and have several members working on these. */
    private List<Parameter> shared() {
        List<Parameter> shared = new ArrayList<>();
        for (int i = 0; i < tasksOfParameters.size(); i++) {
            Parameter parameter = model().parameters().get(i);
            List<List<Integer>> working = tasksOfParameters.get(i).stream()
                    .mapToObj(task -> placement.ranks().get(task))
                    .filter(ranks -> !ranks.isEmpty())
                    .toList();
            long members = working.stream().flatMap(List::stream).distinct().count();
            if (working.size() > 1 && members > 1 && !model().isFrozen(parameter)) {
                shared.add(parameter);
            }
        }
        return shared;
    }

    /** A pass for each task, so that it is known what each costs, and one update. */
    private void learn(Batch batch, StepPlan plan, StepInput input) {
        int rank = team.group().rank();
        Batch[] own = new Batch[loss.count()];
        long samples = 0;
        for (int task = 0; task < own.length; task++) {
            int part = placement.ranks().get(task).indexOf(rank);
            own[task] = part < 0
                    ? null
                    : TaskBatches.rows(
                                    batch,
                                    task,
                                    part,
                                    placement.ranks().get(task).size())
                            .orElse(null);
            samples += own[task] == null ? 0 : own[task].size();
        }
        int passes = 0;
        for (int task = 0; task < own.length; task++) {
            if (own[task] != null) {
                long began = System.nanoTime();
                StepResult result = workers.backward(
                        own[task],
                        new LocalWorkers.Turn(plan.number(), passes++, rank * team.threads(), samples),
                        BackwardOverlap.NONE);
                count(task, result, (System.nanoTime() - began) / 1e9);
                timing.record(Phase.COMPUTE, began);
                input.measured(own[task], result);
            }
        }
        if (samples > 0) {
            long began = push(plan.learningRate() * samples / rowsOfAll(batch), own);
            workers.update(plan.learningRate(), 1);
            began = timing.record(Phase.UPDATE, began);
            if (isServed()) {
                served.pull();
                timing.record(Phase.WIRE, began);
            }
        }
    }

    /**
     * Pushes the gradients of what is shared.
     *
     * @param rate that of the step times this member's share of its rows, so that the pushes of all for one batch move as far as one update by
     *     the mean over their rows
     * @param own the rows of each task that the gradients come from; null for none
     */
    private long push(double rate, Batch[] own) {
        long began = System.nanoTime();
        if (!isServed()) {
            return began;
        }
        try (NoGradients off = NoGradients.begin()) {
            LocalReplica.clip(clipping, workers.gradients(), model().rowGradients());
        }
        List<String> learned = new ArrayList<>();
        for (int i = 0; i < tasksOfParameters.size(); i++) {
            if (tasksOfParameters.get(i).stream().anyMatch(task -> own[task] != null)) {
                learned.add(model().parameters().get(i).name());
            }
        }
        served.push(rate, learned);
        return timing.record(Phase.WIRE, began);
    }

    /** Rows of a batch whose tasks are worked on, by any member. */
    private long rowsOfAll(Batch batch) {
        long all = 0;
        for (int task = 0; task < loss.count(); task++) {
            all += placement.ranks().get(task).isEmpty() ? 0 : TaskBatches.count(batch, task);
        }
        return Math.max(1, all);
    }

    private void count(int task, StepResult result, double took) {
        rows[task] += result.size();
        lossSum += result.loss() * result.size();
        if (!comparing || steps >= UNMEASURED_STEPS || settings.steps() <= UNMEASURED_STEPS) {
            measuredRows[task] += result.size();
            seconds[task] += took;
        }
    }

    // ---- the end of a round

    private Outcome agree(Vote vote) {
        underWay = true;
        Collectives collectives = team.collectives();
        long began = System.nanoTime();
        PlacedRound round = PlacedRound.cast(collectives, vote, lossSum, rows, measuredRows, seconds);
        boolean[] next = heardActive();
        began = timing.record(Phase.WAIT, began);
        vote.pendingMetrics().gather(agreement);
        if (collectives.group().size() > 1) {
            if (isServed()) {
                served.collect();
            }
            average(collectives, round);
        }
        began = timing.record(Phase.WIRE, began);
        int updates = steps;
        keep();
        timing.record(Phase.UPDATE, began);
        history.count(round.rows());
        consider(round, next);
        return new Outcome(
                updates,
                round.samples(),
                round.loss(),
                round.more(),
                round.stop(),
                round.interrupted(),
                round.reopen(),
                round.stateWanted());
    }

    private boolean[] heardActive() {
        String mine = team.configuration().values().getOrDefault(ACTIVE, "");
        String all = team.group().size() == 1 ? mine : agreement.text("active tasks", () -> mine, 0);
        return named(all.isBlank() ? String.join(",", settings.active()) : all);
    }

    /** Which tasks a list names; all where it is empty. */
    private boolean[] named(String list) {
        boolean[] found = new boolean[loss.count()];
        Arrays.fill(found, list.isBlank());
        for (String name : list.isBlank() ? new String[0] : list.split(",")) {
            int task = 0;
            while (task < found.length && !loss.name(task).equals(name.strip())) {
                task++;
            }
            if (task == found.length) {
                LOG.warn("there is no task '{}': the setting {} names some of {}", name.strip(), ACTIVE, names());
            } else {
                found[task] = true;
            }
        }
        if (!list.isBlank() && PlacementHistory.none(found)) {
            LOG.warn("the setting {} names no task: all of {} are active", ACTIVE, names());
            Arrays.fill(found, true);
        }
        return found;
    }

    private List<String> names() {
        List<String> names = new ArrayList<>();
        for (int task = 0; task < loss.count(); task++) {
            names.add(loss.name(task));
        }
        return names;
    }

    /** Places tasks anew where that is worth it. */
    private void consider(PlacedRound round, boolean[] next) {
        boolean changed = !Arrays.equals(active, next);
        active = next;
        int members = team.group().size();
        if (comparing) {
            costs.compare(round.measuredRows(), round.seconds());
        } else {
            costs.follow(round.measuredRows(), round.seconds());
        }
        double[] work = costs.work(active);
        TaskPlacement better =
                members == 1 ? TaskPlacement.everywhere(active, 1) : TaskPlacement.of(work, costs.slowness());
        double now = placement.longest(work, costs.slowness());
        double then = better.longest(work, costs.slowness());
        unevenRounds = then < (1 - WORTH_MOVING) * now && now - then > LEAST_GAIN ? unevenRounds + 1 : 0;
        boolean first = comparing;
        comparing = false;
        if (first || changed || unevenRounds >= PATIENCE) {
            unevenRounds = 0;
            place(better);
        }
        history.costs(costs);
    }

    /**
     * Of each parameter the mean over the members that have worked on one of its tasks, by their rows. What is frozen, and what no member has
     * worked on, does not travel and stays as it is, to the last bit.
     */
    private void average(Collectives collectives, PlacedRound round) {
        int rank = collectives.group().rank();
        List<Weighted> moving = new ArrayList<>();
        List<Range> still = new ArrayList<>();
        List<Parameter> parameters = model().parameters();
        for (int i = 0; i < parameters.size(); i++) {
            if (isServed() && served.contains(parameters.get(i))) {
                continue; // all members have read the same from the servers
            }
            Range range = parameters.get(i).range();
            double all = round.rows(tasksOfParameters.get(i));
            if (all == 0 || model().isFrozen(parameters.get(i))) {
                still.add(range);
            } else {
                moving.add(new Weighted(range, round.rows(rank, tasksOfParameters.get(i)) / all));
            }
        }
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Tensor values = model().vector().values();
            average(collectives, "parameters of tasks", values, moving);
            keepAsBefore(values, snapshot.get(VALUES), still);
            int kept = VALUES + 1;
            if (model().state().size() > 0) {
                kept++;
                Tensor statistics = model().state().values();
                double all = round.samples();
                statistics.mul_(all == 0 ? 1.0 / collectives.group().size() : round.samples(rank) / all);
                collectives.allReduce("running statistics", statistics);
            }
            averageOptimizer(collectives, moving, still, kept);
        }
    }

    /** A parameter's place in the vector, and what this member's values of it count. */
    private record Weighted(Range range, double weight) {}

    /**
     * So that a task that moves finds what its optimizer remembers.
     *
     * @param kept where its tensors begin in the snapshot
     */
    private void averageOptimizer(Collectives collectives, List<Weighted> moving, List<Range> still, int kept) {
        int number = kept;
        for (Map.Entry<String, Tensor> each : workers.state().entrySet()) {
            String what = "optimizer: " + each.getKey();
            Tensor tensor = each.getValue();
            if (tensor.rank() == 0) {
                double[][] counters = collectives.gather(what, tensor.item());
                tensor.fill_(Arrays.stream(counters)
                        .mapToDouble(counter -> counter[0])
                        .max()
                        .orElse(0));
            } else {
                average(collectives, what, tensor, moving);
                keepAsBefore(tensor, snapshot.get(number), still);
            }
            number++;
        }
    }

    private static void average(Collectives collectives, String what, Tensor vector, List<Weighted> moving) {
        for (Weighted each : moving) {
            Tensor part = part(vector, each.range);
            if (each.weight == 0) {
                part.zero_();
            } else if (each.weight != 1) {
                part.mul_(each.weight);
            }
        }
        PackedRanges.change(
                vector,
                Range.joined(moving.stream().map(Weighted::range).toList()),
                all -> collectives.allReduce(what, all));
    }

    private static void keepAsBefore(Tensor vector, Tensor before, List<Range> ranges) {
        for (Range range : ranges) {
            part(vector, range).copy_(part(before, range));
        }
    }

    private static Tensor part(Tensor vector, Range range) {
        return vector.narrow(0, range.from(), range.length());
    }

    private void keep() {
        snapshot.keep();
        workers.shareStatistics();
        Arrays.fill(rows, 0);
        Arrays.fill(measuredRows, 0);
        Arrays.fill(seconds, 0);
        lossSum = 0;
        steps = 0;
        underWay = false;
    }

    @Override
    public void regrouped() {
        abandon();
        workers.amongOthers(team.group().size() > 1);
        placement = null;
        if (served != null) {
            served.forget();
        }
    }

    @Override
    public void abandon() {
        if (underWay) {
            snapshot.restore();
            keep();
        }
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
    public StrategyReport report() {
        return served == null ? history.report() : history.report(settings.servers(), served.pushes());
    }

    @Override
    public void close() {
        workers.close();
        snapshot.close();
    }
}
