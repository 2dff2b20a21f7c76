package dev.tutti.strategy.parallel.plan;

import dev.tutti.array.DType;
import dev.tutti.array.Range;
import dev.tutti.nn.Input;
import dev.tutti.nn.ModelPlan;
import dev.tutti.nn.Parameter;
import dev.tutti.nn.Slice;
import dev.tutti.optim.Optimizer;
import dev.tutti.optim.Target;
import dev.tutti.optim.Update;
import dev.tutti.strategy.parallel.Grid;
import dev.tutti.strategy.parallel.Parallel;
import dev.tutti.strategy.parallel.PartPlans;
import dev.tutti.strategy.parallel.pipeline.ScheduleTable;
import dev.tutti.strategy.parallel.pipeline.ScheduleTimeline;
import dev.tutti.tensor.vector.FlatVector;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * What a grid would do with a model, worked out before anything is built.
 *
 * @param wholeParameters parameters of the whole model
 * @param wholeBytes of its parameters, gradients and optimizer state
 * @param bubble the share of a step in which stages have nothing to do, if all take equally long
 */
public record GridPlan(
        Grid grid,
        String schedule,
        int microBatches,
        long rows,
        long wholeParameters,
        long wholeBytes,
        double bubble,
        List<MemberShare> members,
        ScheduleTable table) {
    /** How much longer a pass backward takes than one forward. */
    private static final double BACKWARD = 2;

    /** The newest weights, and two that passes run on. */
    private static final int COPIES_WITHOUT_FLUSH = 3;

    /**
     * Works out a plan. The layers are measured where the strategy does not say where its stages begin.
     *
     * @param rows of a batch of all sets together
     */
    public static GridPlan of(Parallel strategy, ModelPlan whole, Optimizer optimizer, int members, int rows) {
        strategy.validateFor(members);
        Grid grid = strategy.grid(members);
        PartPlans plans = new PartPlans(strategy, whole, grid, PartPlans.findCuts(strategy, whole, grid));
        int micros = Math.max(1, Math.min(strategy.microBatchCount(), rows / grid.data()));
        int chunks = plans.parts() / grid.pipeline();
        ScheduleTable table = ScheduleTable.of(strategy.schedule(), grid.pipeline(), chunks, micros);
        int vectors = stateVectors(optimizer);
        List<MemberShare> shares = new ArrayList<>();
        for (int member = 0; member < grid.members(); member++) {
            shares.add(share(plans, member, table, vectors, strategy.shardsState(), rows));
        }
        long all = count(whole.parameters());
        int bytes = whole.options().type().bytes();
        return new GridPlan(
                grid,
                strategy.schedule().toString(),
                micros,
                rows,
                all,
                all * bytes * (2 + vectors),
                strategy.flushes() ? ScheduleTimeline.of(table, BACKWARD).bubble() : 0,
                shares,
                table);
    }

    private static long count(List<Parameter> parameters) {
        return parameters.stream().mapToLong(p -> p.shape().size()).sum();
    }

    /** How many numbers an optimizer keeps for each parameter. */
    private static int stateVectors(Optimizer optimizer) {
        try (FlatVector vector = new FlatVector(1, DType.FLOAT32, dev.tutti.tensor.Device.CPU);
                Update update = optimizer.bind(Target.all(vector, List.of()))) {
            return (int) update.state().values().stream()
                    .filter(tensor -> tensor.rank() > 0)
                    .count();
        }
    }

    private static MemberShare share(
            PartPlans plans, int member, ScheduleTable table, int vectors, boolean sharded, long rows) {
        Grid grid = plans.grid();
        int set = member / grid.set();
        int place = member % grid.set();
        int stage = grid.stage(place);
        ModelPlan held = plans.of(place);
        int bytes = held.options().type().bytes();
        long own = new Range(0, rows).part(set, grid.data()).length();
        TreeSet<String> layers = new TreeSet<>();
        List<String> names = plans.whole().layers();
        List<String> ordered = new ArrayList<>();
        long sent = 0;
        long summed = 0;
        for (int part = stage; part < plans.parts(); part += grid.pipeline()) {
            for (long i = plans.layers(part).from(); i < plans.layers(part).to(); i++) {
                if (layers.add(names.get((int) i))) {
                    ordered.add(names.get((int) i));
                }
            }
            if (grid.pipeline() > 1) {
                sent += part + 1 < plans.parts()
                        ? own * rowBytes(plans.chunk(part + 1, 0).inputs(), bytes, false)
                        : 0;
                sent += part > 0 ? own * rowBytes(plans.chunk(part, 0).inputs(), bytes, true) : 0;
            }
            ModelPlan chunk = plans.chunk(part, grid.slice(place));
            int passes = plans.strategy().recomputes() && part + 1 < plans.parts() ? 2 : 1;
            summed += own * (passes * chunk.summedForward() + chunk.summedBackward(part > 0)) * bytes;
        }
        long parameters = count(held.parameters());
        long state = parameters * vectors * bytes;
        boolean flushes = plans.strategy().flushes() || grid.pipeline() == 1;
        int copies = flushes ? 1 : COPIES_WITHOUT_FLUSH;
        return new MemberShare(
                member,
                set,
                stage,
                grid.slice(place),
                ordered,
                slices(held),
                parameters,
                parameters * bytes * copies,
                parameters * bytes * copies,
                sharded ? (state + grid.data() - 1) / grid.data() : state,
                flushes ? table.mostAlive(stage) : 2 * (grid.pipeline() - 1 - stage) + 1,
                sent,
                grid.tensor() == 1 ? 0 : summed,
                grid.data() == 1 ? 0 : parameters * bytes);
    }

    /** Bytes of the values that cross a cut, for each row; only those of real numbers have gradients. */
    private static long rowBytes(List<Input> values, int floatBytes, boolean gradients) {
        long sum = 0;
        for (Input value : values) {
            boolean floating = value.type().isFloating();
            if (value.shape().isKnown() && (floating || !gradients)) {
                sum += value.shape().size()
                        * (floating ? floatBytes : value.type().bytes());
            }
        }
        return sum;
    }

    private static List<String> slices(ModelPlan held) {
        List<String> words = new ArrayList<>();
        for (Slice slice : held.held()) {
            if (!slice.isAll()) {
                words.add(slice.parameter() + " " + (slice.axis() == 0 ? "rows " : "columns ")
                        + slice.rows().from() + " to " + (slice.rows().to() - 1) + " of "
                        + slice.whole().dim(slice.axis()));
            }
        }
        return words;
    }
}
