package dev.tutti.train.multitask;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.data.Dataset;
import dev.tutti.json.Definition;
import dev.tutti.loss.Loss;
import dev.tutti.metric.Metric;
import java.util.List;
import java.util.Objects;

/** One of several tasks: its own data, the output of the model that answers it, its loss, metrics and weight. */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public final class Task extends Definition {
    private String name;
    private Dataset data;
    private String output;
    private Loss loss;

    @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
    private List<Metric> metrics = List.of();

    private double weight = 1;

    private Task() {}

    /**
     * @param data rows with one label
     * @param output the name of the graph's output that answers it
     */
    public static Task of(String name, Dataset data, String output, Loss loss) {
        Task task = new Task();
        task.name = Objects.requireNonNull(name, "a task needs a name");
        task.data = Objects.requireNonNull(data, "a task needs data");
        task.output = Objects.requireNonNull(output, "a task needs an output");
        task.loss = Objects.requireNonNull(loss, "a task needs a loss");
        return task;
    }

    public Task metrics(Metric... choice) {
        return copy(c -> c.metrics = List.of(choice));
    }

    /** How much it counts beside the others; 1 unless told otherwise. */
    public Task weight(double factor) {
        return copy(c -> c.weight = factor);
    }

    public String name() {
        return name;
    }

    public Dataset data() {
        return data;
    }

    public String output() {
        return output;
    }

    public Loss loss() {
        return loss;
    }

    public List<Metric> metrics() {
        return metrics;
    }

    public double weight() {
        return weight;
    }
}
