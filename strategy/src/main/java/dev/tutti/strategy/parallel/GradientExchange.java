package dev.tutti.strategy.parallel;

import dev.tutti.array.Range;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Team;
import dev.tutti.nn.Model;
import dev.tutti.nn.Parameter;
import dev.tutti.nn.Slice;
import dev.tutti.optim.Clipping;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Brings the gradients of a step together: those of members that hold the same part, those of parameters that several stages hold, and the
 * length of all of them where gradients are clipped by it.
 */
final class GradientExchange {
    /** A parameter that several stages hold, because their layers share it. */
    private record Tied(Range range, List<Integer> stages) {}

    private final Model model;
    private final Clipping clipping;
    private final int slice;
    private final List<Tied> tied = new ArrayList<>();
    private final List<Range> counted = new ArrayList<>();
    private Collectives all;
    private Collectives twins;
    private final Map<List<Integer>, Collectives> tiedHolders = new HashMap<>();
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
                tied.add(new Tied(parameters.get(i).range(), stages));
            }
            boolean first = stages.get(0) == grid.stage(place);
            boolean replicated = held.get(i).isAll() && slice > 0;
            if (first && !replicated) {
                counted.add(parameters.get(i).range());
            }
        }
    }

    /** A group has formed; all its members call it. */
    void formed(Team team, Seats seats) {
        Group group = team.group();
        int rank = group.rank();
        all = team.collectives();
        List<Integer> same = seats.twins(rank);
        twins = same.size() == group.size() ? all : team.collectives(group.sub(same));
        speaks = seats.set(rank) == 0;
        tiedHolders.clear();
        for (Tied each : tied) {
            if (!tiedHolders.containsKey(each.stages)) {
                List<Integer> ranks = new ArrayList<>();
                for (int stage : each.stages) {
                    ranks.addAll(seats.twins(seats.firstHolder(seats.grid().place(stage, slice))));
                }
                tiedHolders.put(each.stages, team.collectives(group.sub(ranks)));
            }
        }
    }

    /** Whether stages cannot move without each other: they share parameters, or the length of all gradients counts. */
    boolean needsAllStages() {
        return !tied.isEmpty() || clipping.norm() > 0;
    }

    Collectives twins() {
        return twins;
    }

    /** Sums the gradients, and multiplies them by a factor. */
    void sum(double factor) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Tensor gradients = model.vector().gradients();
            List<Tensor> own = new ArrayList<>();
            for (Tied each : tied) { // the sum over all holders comes instead of that over the twins
                own.add(model.vector().gradients(each.range).copy());
            }
            if (twins.group().size() > 1) {
                twins.allReduce("gradients", gradients);
            }
            for (int i = 0; i < tied.size(); i++) {
                Tensor sum = own.get(i);
                tiedHolders.get(tied.get(i).stages).allReduce("gradients of shared parameters", sum);
                model.vector().gradients(tied.get(i).range).copy_(sum);
            }
            if (factor != 1) {
                gradients.mul_(factor);
            }
            clip(gradients);
        }
    }

    private void clip(Tensor gradients) {
        clipping.clipValues(gradients);
        if (clipping.norm() > 0) {
            double squares = 0;
            for (Range range : counted) {
                squares += speaks ? Clipping.squaredNorm(model.vector().gradients(range)) : 0;
            }
            clipping.scale(gradients, Math.sqrt(all.sum("length of the gradients", squares)[0]));
        }
    }

    /** Gives every member that holds the same part what each of them has moved. */
    void shareValues(StageState state) {
        int size = twins.group().size();
        if (size == 1) {
            return;
        }
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            for (int twin = 0; twin < size; twin++) {
                Range range = state.shard(twin, size);
                if (!range.isEmpty()) {
                    twins.broadcast("moved parameters", model.vector().values(range), twin);
                }
            }
        }
    }
}
