package dev.tutti.strategy.parallel;

import dev.tutti.comm.Collectives;
import dev.tutti.nn.Model;
import dev.tutti.nn.ModelPlan;
import dev.tutti.strategy.allreduce.RunningStatistics;
import dev.tutti.strategy.parallel.pipeline.StageRunner;
import dev.tutti.strategy.parallel.pipeline.UnflushedStage;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Moves the parameters of a stage as soon as its own gradients of a step are there. Passes run on two copies of the weights, and the model
 * itself holds the newest: the gradients of step {@code t} are those of the weights that steps up to {@code t - 2} have moved, and move the
 * weights that step {@code t - 1} has moved.
 */
final class UnflushedSteps implements UnflushedStage.Weights, AutoCloseable {
    /** @param divisor what the gradients were divided by when they were computed */
    private record Update(double learningRate, double divisor, long rows) {}

    private final Model model;
    private final List<Model> copies;
    private final StageState state;
    private final GradientExchange exchange;
    private final RunningStatistics statistics;
    private final Map<Long, Update> updates = new HashMap<>();
    private UnflushedStage stage;
    private int lastBegun = -1; // the copy whose running statistics are the newest; -1: the model's are

    UnflushedSteps(
            ModelPlan part, Model model, StageState state, GradientExchange exchange, RunningStatistics statistics) {
        this.model = model;
        this.state = state;
        this.exchange = exchange;
        this.statistics = statistics;
        copies = List.of(part.build(), part.build());
        for (Model copy : copies) {
            copy.training(true);
            copy.divided(true);
        }
    }

    List<Model> copies() {
        return copies;
    }

    /** A group has formed, in which this member runs a stage; the runners are those of the copies. */
    void formed(List<StageRunner> runners, int number, int stages) {
        stage = new UnflushedStage(runners, this, number, stages);
    }

    /** Runs the passes of a step, and completes the step before it. */
    void run(StageRunner.Step step, double learningRate) {
        if (updates.isEmpty()) {
            freshen(); // nothing is under way: a checkpoint or another member may have written the model
        }
        updates.put(step.number(), new Update(learningRate, step.divisor(), 0));
        stage.run(step);
    }

    /** All members have told how many rows a step has. */
    void rows(long step, long rows) {
        updates.computeIfPresent(step, (number, update) -> new Update(update.learningRate, update.divisor, rows));
    }

    /** Completes all steps: every stage has moved by the gradients of all of them. */
    void drain() {
        stage.drain();
        Collectives twins = exchange.twins();
        boolean moved = lastBegun >= 0;
        if (moved) {
            copyStatistics(copies.get(lastBegun), model);
        }
        if (model.state().size() > 0 && twins.group().size() > 1) {
            double[] sets = twins.sum("sets with running statistics", moved ? 1 : 0);
            if (sets[0] > 0) {
                statistics.average(twins, moved, (int) Math.round(sets[0]));
            }
        }
        lastBegun = -1;
        statistics.keep();
    }

    int mostAlive() {
        return stage.mostAlive();
    }

    /** Forgets the steps under way, whose gradients are lost. */
    void forget() {
        if (stage != null) {
            stage.forget();
        }
        updates.clear();
        lastBegun = -1;
    }

    private void freshen() {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            for (Model copy : copies) {
                copy.vector().values().copy_(model.vector().values());
            }
        }
        lastBegun = -1;
    }

    private static void copyStatistics(Model from, Model to) {
        if (from.state().size() > 0) {
            try (Scope scope = Scope.open();
                    NoGradients off = NoGradients.begin()) {
                to.state().values().copy_(from.state().values());
            }
        }
    }

    @Override
    public void begin(int copy) {
        Model next = copies.get(copy);
        next.freezeAs(model);
        copyStatistics(lastBegun < 0 ? model : copies.get(lastBegun), next);
        lastBegun = copy;
    }

    @Override
    public void complete(int copy, StageRunner.Step step) {
        Update update = updates.remove(step.number());
        if (update.rows == 0) { // no member had data
            return;
        }
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            if (step.microBatches().isEmpty()) {
                model.vector().zeroGradients();
            } else {
                model.vector().gradients().copy_(copies.get(copy).vector().gradients());
            }
            exchange.sum(update.divisor / update.rows);
            state.apply(update.learningRate, true);
            copies.get(copy).vector().values().copy_(model.vector().values());
        }
    }

    @Override
    public void close() {
        forget();
        copies.forEach(Model::close);
    }
}
