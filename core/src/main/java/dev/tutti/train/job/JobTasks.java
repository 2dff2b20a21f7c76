package dev.tutti.train.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tutti.DidYouMean;
import dev.tutti.data.Dataset;
import dev.tutti.json.ConfigException;
import dev.tutti.json.Json;
import dev.tutti.train.multitask.TaskSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The key {@code tasks} of a job: several tasks with data, loss, metrics and weight each, learned by a graph with one output for each.
 * It stands for {@code data}, {@code loss} and {@code metrics} of all of them together.
 */
final class JobTasks {
    private static final List<String> KEYS = List.of("data", "output", "loss", "metrics", "weight");
    private static final List<String> SAMPLING = List.of("temperature", "lastTemperature", "overEpochs");

    private final ObjectNode job;
    private final String where;
    private final Map<String, JsonNode> tasks = new LinkedHashMap<>(); // in the order of the graph's outputs

    private JobTasks(ObjectNode job, String where) {
        this.job = job;
        this.where = where;
    }

    /** The tree of a job with its tasks written out; the same tree where there are none. */
    static JsonNode expanded(JsonNode tree, String where) {
        return tree instanceof ObjectNode job && job.has("tasks") ? new JobTasks(job.deepCopy(), where).expand() : tree;
    }

    private ObjectNode expand() {
        JsonNode given = job.remove("tasks");
        JsonNode sampling = job.remove("sampling");
        for (String key : List.of("data", "loss", "metrics")) {
            require(!job.has(key), "a job with 'tasks' has " + key + " in each of them, not beside them");
        }
        order(given);
        List<Dataset> training = new ArrayList<>();
        List<Dataset> validation = new ArrayList<>();
        ArrayNode losses = Json.json().createArrayNode();
        ArrayNode metrics = Json.json().createArrayNode();
        tasks.forEach((name, task) -> add(name, task, training, validation, losses, metrics));
        ObjectNode data = job.putObject("data");
        data.set("train", Json.tree(Dataset.of(TaskSource.of(training))));
        ObjectNode mix = ((ObjectNode) data.get("train")).putArray("stages").addObject();
        mix.put("type", "mix");
        ArrayNode sizes = mix.putArray("sizes");
        for (long size : TaskSource.of(training).sizes()) {
            sizes.add(size);
        }
        mix.put("seed", job.path("seed").asLong());
        if (sampling != null) {
            sampling.properties().forEach(each -> {
                require(
                        SAMPLING.contains(each.getKey()),
                        "sampling: unknown key '" + each.getKey() + "'" + DidYouMean.hint(each.getKey(), SAMPLING));
                mix.set(each.getKey(), each.getValue());
            });
        }
        if (validation.size() == tasks.size()) {
            data.set("validation", Json.tree(Dataset.of(TaskSource.of(validation))));
        }
        job.putObject("loss").put("type", "tasks").set("tasks", losses);
        job.set("metrics", metrics);
        return job;
    }

    private void order(JsonNode given) {
        List<String> outputs = new ArrayList<>();
        job.at("/model/outputs").forEach(output -> outputs.add(output.asText()));
        require(
                given instanceof ObjectNode && !outputs.isEmpty(),
                "tasks: expected tasks by name and a model of type graph whose outputs answer them");
        for (String output : outputs) {
            String name = "";
            for (Map.Entry<String, JsonNode> task : given.properties()) {
                name = output.equals(task.getValue().path("output").asText(task.getKey())) ? task.getKey() : name;
            }
            require(!name.isEmpty(), "tasks: the model's output '" + output + "' has no task");
            tasks.put(name, given.get(name));
        }
        for (Map.Entry<String, JsonNode> task : given.properties()) {
            String output = task.getValue().path("output").asText(task.getKey());
            require(
                    tasks.containsKey(task.getKey()),
                    "tasks: " + task.getKey() + ": the model has no output '" + output + "'"
                            + DidYouMean.hint(output, outputs));
            task.getValue()
                    .fieldNames()
                    .forEachRemaining(key -> require(
                            KEYS.contains(key),
                            "tasks: " + task.getKey() + ": unknown key '" + key + "'" + DidYouMean.hint(key, KEYS)));
        }
    }

    private void add(
            String name,
            JsonNode task,
            List<Dataset> training,
            List<Dataset> validation,
            ArrayNode losses,
            ArrayNode metrics) {
        require(task.has("data") && task.has("loss"), "tasks: " + name + ": expected 'data' and 'loss'");
        JobData data = Json.convert(task.get("data"), JobData.class, where + ": tasks: " + name + ": data");
        require(data.hasTrain(), "tasks: " + name + ": expected 'train' in its data");
        training.add(data.train());
        data.validation().ifPresent(validation::add);
        int index = losses.size();
        ObjectNode loss = losses.addObject();
        loss.put("task", name);
        loss.set("loss", task.get("loss"));
        loss.put("weight", task.path("weight").asDouble(1));
        JsonNode measured = task.path("metrics");
        for (JsonNode metric :
                measured.isArray() ? measured : Json.json().createArrayNode().add(measured)) {
            if (!metric.isMissingNode() && !metric.isNull()) {
                metrics.addObject()
                        .put("type", "task")
                        .put("task", name)
                        .put("index", index)
                        .set("metric", metric);
            }
        }
    }

    private void require(boolean holds, String message) {
        if (!holds) {
            throw new ConfigException(where + ": " + message);
        }
    }
}
