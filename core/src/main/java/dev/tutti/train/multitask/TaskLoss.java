package dev.tutti.train.multitask;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.TuttiException;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.loss.Loss;
import dev.tutti.loss.TargetException;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.Optional;

/**
 * The losses of several tasks, one for each output of a model: for each task the sum over its rows times its weight, divided by the
 * number of rows of the whole batch.
 */
public final class TaskLoss extends Loss {
    /** The loss of one task. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record Part(String task, Loss loss, double weight) {}

    private List<Part> tasks = List.of();

    private TaskLoss() {}

    static TaskLoss of(List<Task> tasks) {
        TaskLoss loss = new TaskLoss();
        loss.tasks = tasks.stream()
                .map(task -> new Part(task.name(), task.loss(), task.weight()))
                .toList();
        loss.validate();
        return loss;
    }

    @Override
    public void validate() {
        if (tasks.isEmpty()) {
            throw new TuttiException("tasks: expected at least one task, received none");
        }
        for (Part part : tasks) {
            if (part.loss == null || !(part.weight >= 0) || Double.isInfinite(part.weight)) {
                throw new TuttiException("task " + part.task + ": expected a loss and a weight of at least 0, received "
                        + part.loss + " and " + part.weight);
            }
            part.loss.validate();
        }
    }

    /** How many tasks there are. */
    public int count() {
        return tasks.size();
    }

    /** The name of a task. */
    public String name(int index) {
        return tasks.get(index).task;
    }

    @Override
    public Tensor compute(Tensor output, Tensor target) {
        return compute(List.of(output), List.of(target));
    }

    @Override
    public Tensor compute(List<Tensor> outputs, List<Tensor> targets) {
        requireCounts(outputs.size(), targets.size());
        Tensor total = null;
        for (int i = 0; i < tasks.size(); i++) {
            Optional<Tensor> part = ofTask(i, outputs, targets);
            if (part.isPresent()) {
                total = total == null ? part.get() : total.add(part.get());
            }
        }
        if (total == null) {
            throw new TargetException("the batch has no row of any task");
        }
        return total;
    }

    /** The share of one task in the loss of a batch; empty where the batch has no row of it. */
    public Optional<Tensor> ofTask(int index, List<Tensor> outputs, List<Tensor> targets) {
        Tensor target = targets.get(index);
        NdArray labels = target.toArray();
        long[] places = TaskSource.present(labels);
        if (places.length == 0) {
            return Optional.empty();
        }
        Tensor rows = Tensor.of(NdArray.of(places, places.length), target.device());
        boolean all = places.length == labels.shape().dim(0);
        Tensor output = all ? outputs.get(index) : outputs.get(index).at(rows);
        Tensor own = all ? target : target.at(rows);
        Part part = tasks.get(index);
        double share = part.weight * places.length / (double) labels.shape().dim(0);
        Tensor wanted = own.type().isFloating() && own.type() != output.type() ? own.to(output.type()) : own;
        return Optional.of(part.loss.compute(output, wanted).mul(share));
    }

    @Override
    public void check(NdArray target, Shape output) {
        check(List.of(target), List.of(output));
    }

    @Override
    public void check(List<NdArray> targets, List<Shape> outputs) {
        requireCounts(outputs.size(), targets.size());
        for (int i = 0; i < tasks.size(); i++) {
            long[] places = TaskSource.present(targets.get(i));
            if (places.length > 0) {
                NdArray own = TaskSource.rows(targets.get(i), places);
                try {
                    tasks.get(i).loss.check(own, outputs.get(i));
                } catch (TargetException e) {
                    throw new TargetException("task " + tasks.get(i).task + ": " + e.getMessage());
                }
            }
        }
    }

    private void requireCounts(int outputs, int targets) {
        if (outputs != tasks.size() || targets != tasks.size()) {
            throw new TargetException("tasks: there are " + tasks.size() + ", but the model has " + outputs
                    + " outputs and the data " + targets + " labels");
        }
    }
}
