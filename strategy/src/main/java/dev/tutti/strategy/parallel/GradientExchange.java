package dev.tutti.strategy.parallel;

import dev.tutti.array.Range;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Team;
import dev.tutti.nn.Model;
import dev.tutti.nn.Parameter;
import dev.tutti.nn.Slice;
import dev.tutti.optim.Clipping;
import dev.tutti.strategy.allreduce.GroupedSum;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.PackedRanges;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Brings the gradients of a step together: those of members that hold the same part, those of parameters that several stages hold, and the
 * length of all of them where gradients are clipped by it.
 */
final class GradientExchange {
    /** A parameter that several stages hold, because their layers share it. */
    private record Tied(String name, Range range, List<Integer> stages) {
        /** The order in which all holders name what they share. */
        static final Comparator<Tied> ORDER = Comparator.<Tied, String>comparing(each -> each.stages.toString())
                .thenComparing(Tied::name);
    }

    private final Model model;
    private final Clipping clipping;
    private final int slice;
    private final List<Tied> tied = new ArrayList<>();
    private final List<Range> counted = new ArrayList<>();
    private Collectives all;
    private Collectives twins;
    private GroupedSum sums;
    private boolean speaks;

    GradientExchange(Model model, Clipping clipping, PartPlans plans, int place) {
        this.model = model;
        this.clipping = clipping;
        Grid grid = plans.grid();
        slice = grid.slice(place);
        Map<String, List<Integer>> holders = new TreeMap<>();
        for (int stage = 0; stage < grid.pipeline() && grid.pipeline() > 1; stage++) {
            int at = stage;
            plans.of(grid.place(stage, slice)).held().forEach(each -> {
                List<Integer> stages = holders.computeIfAbsent(each.parameter(), name -> new ArrayList<>());
                if (!stages.contains(at)) {
                    stages.add(at);
                }
            });
        }
        List<Slice> held = model.plan().held();
        List<Parameter> parameters = model.parameters();
        for (int i = 0; i < parameters.size(); i++) {
            List<Integer> stages = holders.getOrDefault(held.get(i).parameter(), List.of(grid.stage(place)));
            if (stages.size() > 1) {
                tied.add(new Tied(held.get(i).toString(), parameters.get(i).range(), stages));
            }
            boolean first = stages.get(0) == grid.stage(place);
            boolean replicated = held.get(i).isAll() && slice > 0;
            if (first && !replicated) {
                counted.add(parameters.get(i).range());
            }
        }
        tied.sort(Tied.ORDER);
    }

    /** A group has formed; all its members call it. */
    void formed(Team team, Seats seats) {
        Group group = team.group();
        int rank = group.rank();
        all = team.collectives();
        List<Integer> same = seats.twins(rank);
        twins = same.size() == group.size() ? all : team.collectives(group.sub(same));
        speaks = seats.set(rank) == 0;
        List<GroupedSum.Part> parts = new ArrayList<>();
        for (Range range : untied()) {
            parts.add(new GroupedSum.Part(range, same));
        }
        for (Tied each : tied) {
            List<Integer> ranks = new ArrayList<>();
            for (int stage : each.stages) {
                ranks.addAll(seats.twins(seats.firstHolder(seats.grid().place(stage, slice))));
            }
            Collections.sort(ranks);
            parts.add(new GroupedSum.Part(each.range, ranks));
        }
        sums = new GroupedSum(team, parts);
    }

    /** What is summed over those that hold the same part alone. */
    private List<Range> untied() {
        List<Range> ranges = new ArrayList<>();
        long from = 0;
        List<Range> shared = tied.stream()
                .map(Tied::range)
                .sorted(Comparator.comparing(Range::from))
                .toList();
        for (Range range : shared) {
            ranges.add(Range.between(from, range.from()));
            from = range.to();
        }
        ranges.add(Range.between(from, model.vector().size()));
        ranges.removeIf(Range::isEmpty);
        return ranges;
    }

    /** Whether stages cannot move without each other: they share parameters, or the length of all gradients counts. */
    boolean needsAllStages() {
        return !tied.isEmpty() || clipping.norm() > 0;
    }

    Collectives twins() {
        return twins;
    }

    /** Sums the gradients of what learns, and multiplies them by a factor. */
    void sum(double factor) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Tensor gradients = model.vector().gradients();
            List<Range> learning = model.trainable();
            sums.sum(gradients, learning);
            if (factor != 1) {
                gradients.mul_(factor);
            }
            clip(gradients, learning);
        }
    }

    private void clip(Tensor gradients, List<Range> learning) {
        clipping.clipValues(gradients);
        if (clipping.norm() > 0) {
            double squares = 0;
            for (Range range : counted) {
                squares += speaks ? squares(range, learning) : 0;
            }
            clipping.scale(gradients, Math.sqrt(all.sum("length of the gradients", squares)[0]));
        }
    }

    private double squares(Range range, List<Range> learning) {
        double squares = 0;
        for (Range each : learning) {
            Range part = range.intersect(each);
            squares += part.isEmpty() ? 0 : Clipping.squaredNorm(model.vector().gradients(part));
        }
        return squares;
    }

    /** Gives every member that holds the same part what each of them has moved; what is frozen has not. */
    void shareValues(StageState state) {
        int size = twins.group().size();
        if (size == 1) {
            return;
        }
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            List<Range> learning = model.trainable();
            for (int twin = 0; twin < size; twin++) {
                int root = twin;
                PackedRanges.change(
                        model.vector().values(),
                        learning.stream()
                                .map(state.shard(twin, size)::intersect)
                                .toList(),
                        values -> twins.broadcast("moved parameters", values, root));
            }
        }
    }
}
