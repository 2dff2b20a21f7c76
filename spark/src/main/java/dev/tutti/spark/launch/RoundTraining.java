package dev.tutti.spark.launch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.data.Dataset;
import dev.tutti.json.Json;
import dev.tutti.spark.SparkCluster;
import dev.tutti.spark.mapreduce.RddEngine;
import dev.tutti.strategy.mapreduce.MapReduce;
import dev.tutti.strategy.mapreduce.MapReduceEngine;
import dev.tutti.train.History;
import dev.tutti.train.RemoteTraining;
import dev.tutti.train.TrainingException;
import java.util.List;
import java.util.Set;
import org.apache.spark.SparkContext;

/**
 * A training in rounds of MapReduce: the training loop runs in the driver, and each of its steps is a Spark job. The driver moves the
 * parameters and validates; executors compute everything that is learned from.
 */
final class RoundTraining {
    /** What rounds do to the rows of a table themselves. */
    private static final Set<String> OWN_STAGES = Set.of("shuffle");

    private final SparkContext context;
    private final SparkCluster settings;
    private final RemoteTraining training;
    private final List<FedTable> tables;

    RoundTraining(SparkContext context, SparkCluster settings, RemoteTraining training, List<FedTable> tables) {
        this.context = context;
        this.settings = settings;
        this.training = training;
        this.tables = tables;
    }

    History run(MapReduce rounds) {
        if (training.fit().validation().map(Dataset::isSupplied).orElse(false)) {
            throw new TrainingException(
                    "mapReduce: the driver measures how good the model is, and reads no rows of tables:"
                            + " leave validation out, or choose another strategy");
        }
        return training.here().apply(rounds.on(data -> engine(rounds, data)));
    }

    private MapReduceEngine engine(MapReduce rounds, Dataset data) {
        if (!data.isSupplied()) {
            return new RddEngine(
                    context, data, rounds.partsFor(settings.workers().orElseGet(() -> SparkSlots.of(context))));
        }
        JsonNode recipe = Json.tree(data);
        String name = recipe.path("source").path("name").asText();
        FedTable table = tables.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new TrainingException("there is no table '" + name + "' here"));
        for (JsonNode stage : recipe.path("stages")) {
            String type =
                    stage.isTextual() ? stage.asText() : stage.path("type").asText();
            if (!OWN_STAGES.contains(type)) {
                throw new TrainingException("mapReduce: rows of a table reach rounds as they are, received the stage "
                        + type + ": change the table before, or choose another strategy");
            }
        }
        return new RddEngine(table, data.batchSize().orElse(1));
    }
}
