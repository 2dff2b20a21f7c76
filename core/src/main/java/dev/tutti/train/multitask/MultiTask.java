package dev.tutti.train.multitask;

import dev.tutti.DidYouMean;
import dev.tutti.TuttiException;
import dev.tutti.data.Dataset;
import dev.tutti.data.stage.MixStage;
import dev.tutti.json.Json;
import dev.tutti.metric.Metric;
import dev.tutti.nn.Graph;
import dev.tutti.optim.Optimizer;
import dev.tutti.train.Trainer;
import java.util.ArrayList;
import java.util.List;

/**
 * A graph that learns several tasks at once, under every strategy.
 *
 * <pre>{@code
 * MultiTask tasks = MultiTask.of(graph, Task.of("digit", digits, "digit", softmaxCrossEntropy()).metrics(accuracy()), ...);
 * tasks.trainer(adam(1e-3)).fit(tasks.data(7).batch(128), epochs(3).on(Cluster.processes(2)));
 * }</pre>
 *
 * <p>A row belongs to one task and has no label for the others. The loss of a batch is the sum over its rows, each weighted by its task,
 * divided by their number: so it does not matter how a batch is divided among members, and a run on several equals one on one.
 */
public final class MultiTask {
    private final Graph graph;
    private final List<Task> tasks;

    private MultiTask(Graph graph, List<Task> tasks) {
        this.graph = graph;
        this.tasks = tasks;
    }

    /** @throws TuttiException if a task has no output of the graph, or an output has no task */
    public static MultiTask of(Graph graph, Task... tasks) {
        return of(graph, List.of(tasks));
    }

    /** @throws TuttiException if a task has no output of the graph, or an output has no task */
    public static MultiTask of(Graph graph, List<Task> tasks) {
        return new MultiTask(graph, inOrder(outputs(graph), tasks));
    }

    /** The names of a graph's outputs. */
    public static List<String> outputs(Graph graph) {
        List<String> names = new ArrayList<>();
        Json.tree(graph).path("outputs").forEach(name -> names.add(name.asText()));
        return names;
    }

    private static List<Task> inOrder(List<String> outputs, List<Task> tasks) {
        List<Task> ordered = new ArrayList<>();
        for (String output : outputs) {
            ordered.add(tasks.stream()
                    .filter(task -> task.output().equals(output))
                    .findFirst()
                    .orElseThrow(() -> new TuttiException("the graph's output '" + output
                            + "' has no task: expected one task for each of its outputs " + outputs)));
        }
        for (Task task : tasks) {
            if (!outputs.contains(task.output())) {
                throw new TuttiException("task " + task.name() + ": the graph has no output '" + task.output() + "'"
                        + DidYouMean.hint(task.output(), outputs));
            }
        }
        if (ordered.size() != tasks.size()) {
            throw new TuttiException("two tasks have the same output: expected one for each of " + outputs);
        }
        return List.copyOf(ordered);
    }

    /** The tasks in the order of the graph's outputs. */
    public List<Task> tasks() {
        return tasks;
    }

    public TaskLoss loss() {
        return TaskLoss.of(tasks);
    }

    /** The metrics of all tasks, named {@code task.metric}. */
    public Metric[] metrics() {
        List<Metric> metrics = new ArrayList<>();
        for (int i = 0; i < tasks.size(); i++) {
            for (Metric metric : tasks.get(i).metrics()) {
                metrics.add(new TaskMetric(tasks.get(i).name(), i, metric));
            }
        }
        return metrics.toArray(Metric[]::new);
    }

    /** All rows of all tasks, each task in proportion to its rows; mixed anew in every epoch. */
    public Dataset data(long seed) {
        return data(1, seed);
    }

    /** The same with shares by temperature: 1 is in proportion, higher ones make tasks more alike. */
    public Dataset data(double temperature, long seed) {
        TaskSource source = TaskSource.of(tasks.stream().map(Task::data).toList());
        return Dataset.of(source).mix(new MixStage(source.sizes(), temperature, seed));
    }

    /** Rows to measure by, one dataset for each task in the order of {@link #tasks}. */
    public static Dataset validation(List<Dataset> ofTasks) {
        return Dataset.of(TaskSource.of(ofTasks));
    }

    /** A trainer for all tasks. */
    public Trainer trainer(Optimizer optimizer) {
        return Trainer.of(graph, optimizer, loss()).metrics(metrics());
    }
}
