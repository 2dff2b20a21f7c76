package dev.tutti.spark.ml;

import static dev.tutti.train.Fit.epochs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tutti.data.Dataset;
import dev.tutti.json.Json;
import dev.tutti.loss.Loss;
import dev.tutti.metric.Metric;
import dev.tutti.metric.Metrics;
import dev.tutti.nn.Layer;
import dev.tutti.optim.Optimizer;
import dev.tutti.spark.SparkCluster;
import dev.tutti.spark.TuttiSpark;
import dev.tutti.spark.feed.RowLayout;
import dev.tutti.spark.launch.FedTable;
import dev.tutti.spark.launch.ScratchFolder;
import dev.tutti.spark.launch.SessionPlace;
import dev.tutti.spark.mapreduce.RddEngine;
import dev.tutti.spark.storage.HadoopCheckpoints;
import dev.tutti.spark.storage.HadoopFolder;
import dev.tutti.strategy.mapreduce.MapReduce;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import dev.tutti.train.TrainingException;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Callbacks;
import dev.tutti.train.checkpoint.SavedModel;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;

/** Trains a model on a table as an estimator says. */
final class TableTraining {
    private static final String TRAIN = "train";
    private static final String VALIDATION = "validation";

    private final TrainingStage<?, ?> stage;
    private final org.apache.spark.sql.Dataset<?> table;
    private final ModelFiles from;

    /** @param from the model to learn on with, or null to begin anew */
    TableTraining(TrainingStage<?, ?> stage, org.apache.spark.sql.Dataset<?> table, ModelFiles from) {
        this.stage = stage;
        this.table = table;
        this.from = from;
    }

    ModelFiles run() {
        List<String> columns = new ArrayList<>(stage.featureNames());
        columns.addAll(stage.labelNames());
        String weight = stage.valueOf(stage.weightCol());
        if (weight != null) {
            columns.add(weight);
        }
        String validation = stage.valueOf(stage.validationCol());
        Column held = validation == null
                ? functions.lit(false)
                : functions.coalesce(table.col(TableColumns.quoted(validation)).cast("boolean"), functions.lit(false));
        var learned = new TableColumns(columns).select(validation == null ? table : table.filter(functions.not(held)));
        int[] shape = stage.valueOf(stage.featureShape());
        RowLayout layout = TableColumns.layout(
                learned,
                stage.featureNames().size(),
                new TableColumns.Kind(stage.learnsClasses(), weight != null),
                shape == null ? new int[0] : shape);
        FedTable rows = fed(TRAIN, learned, layout);
        SessionPlace place = new SessionPlace(table.sparkSession()).table(rows);
        if (stage.valueOf(stage.mapReduce()) != null) {
            return reduce(place, rows);
        }
        if (validation != null) {
            place = place.table(fed(VALIDATION, new TableColumns(columns).select(table.filter(held)), layout));
        }
        return train(place, validation != null);
    }

    private static FedTable fed(String name, org.apache.spark.sql.Dataset<Row> rows, RowLayout layout) {
        return new FedTable(name, rows.queryExecution().toRdd(), layout);
    }

    private Loss loss() {
        Loss given = Json.readYaml(stage.valueOf(stage.loss()), Loss.class, "the parameter loss");
        return stage.valueOf(stage.weightCol()) == null ? given : given.weighted();
    }

    /** Trains in rounds of MapReduce. */
    private ModelFiles reduce(SessionPlace place, FedTable rows) {
        if (stage.valueOf(stage.checkpointDir()) != null) {
            throw new TrainingException("the parameters mapReduce and checkpointDir: rounds of MapReduce have no"
                    + " checkpoints, choose one of them");
        }
        MapReduce rounds = rounds(stage.valueOf(stage.mapReduce()));
        rounds.validate();
        Optimizer optimizer = optimizer();
        Loss loss = loss();
        return place.describing(() -> {
            try (ScratchFolder folder = ScratchFolder.create("fitted");
                    Begun begun = begin();
                    Trainer trainer = begun.trainer(optimizer, loss)
                            .seed(stage.numberOf(stage.seed()).longValue());
                    RddEngine engine = new RddEngine(
                            rows, stage.numberOf(stage.batchSize()).intValue())) {
                rounds.fit(engine, trainer.build(TuttiSpark.rows(place, TRAIN)), optimizer, loss);
                Path saved = folder.path().resolve("model");
                trainer.save(saved);
                return ModelFiles.read(saved);
            }
        });
    }

    /** Rounds that are described with or without their type. */
    private static MapReduce rounds(String definition) {
        String where = "the parameter mapReduce";
        ObjectNode tree = Json.readYaml(definition, ObjectNode.class, where);
        tree.put("type", "mapReduce");
        return (MapReduce) Json.convert(tree, Strategy.class, where);
    }

    private ModelFiles train(SessionPlace place, boolean validates) {
        Optimizer optimizer = optimizer();
        Loss loss = loss();
        Dataset rows = TuttiSpark.rows(place, TRAIN)
                .shuffle(stage.numberOf(stage.seed()).longValue())
                .batch(stage.numberOf(stage.batchSize()).intValue());
        Number workers = stage.numberOf(stage.workers());
        SparkCluster cluster = TuttiSpark.on(place);
        Fit fit = epochs(stage.numberOf(stage.epochs()).intValue())
                .on(workers == null ? cluster : cluster.workers(workers.intValue()))
                .with(Json.readYaml(stage.valueOf(stage.strategy()), Strategy.class, "the parameter strategy"))
                .callbacks(Callbacks.stopOnNan())
                .callbacks(stage.callbacks().toArray(Callback[]::new))
                .quiet();
        Fit whole = validates ? fit.validate(TuttiSpark.rows(place, VALIDATION)) : fit;
        String checkpoints = stage.valueOf(stage.checkpointDir());
        if (checkpoints == null) {
            return train(place, rows, whole, optimizer, loss);
        }
        boolean resume = (Boolean) stage.getOrDefault(stage.resume());
        if (!HadoopFolder.isAddress(checkpoints)) {
            Fit saving = whole.callbacks(Callbacks.checkpoint(Path.of(checkpoints)));
            return train(place, rows, resume ? saving.resume(Path.of(checkpoints)) : saving, optimizer, loss);
        }
        try (HadoopCheckpoints remote = HadoopCheckpoints.in(
                checkpoints, table.sparkSession().sparkContext().hadoopConfiguration())) {
            Fit saving = whole.callbacks(remote);
            return train(place, rows, resume ? saving.resume(remote.download()) : saving, optimizer, loss);
        }
    }

    private ModelFiles train(SessionPlace place, Dataset rows, Fit whole, Optimizer optimizer, Loss loss) {
        return place.describing(() -> {
            Metric[] metrics = stage.learnsClasses() ? new Metric[] {Metrics.accuracy()} : new Metric[0];
            try (ScratchFolder folder = ScratchFolder.create("fitted");
                    Begun begun = begin();
                    Trainer trainer = begun.trainer(optimizer, loss)
                            .seed(stage.numberOf(stage.seed()).longValue())
                            .metrics(metrics)) {
                History history = trainer.fit(rows, whole);
                Path saved = folder.path().resolve("model");
                trainer.save(
                        saved,
                        history.epochs().isEmpty() ? null : history.last().measured());
                return ModelFiles.read(saved);
            }
        });
    }

    private Begun begin() {
        if (from != null) {
            try (ScratchFolder folder = ScratchFolder.create("from")) {
                from.write(folder.path().resolve("model"));
                return new Begun(null, SavedModel.load(folder.path().resolve("model")));
            }
        }
        String definition = stage.valueOf(stage.model());
        int[] hidden = stage.valueOf(stage.hiddenLayers());
        Layer model = definition == null
                ? stage.defaultModel(table, hidden == null ? new int[] {64} : hidden)
                : Json.readYaml(definition, Layer.class, "the parameter model");
        return new Begun(model, null);
    }

    /** What training begins with: a definition, or a model that has learned something. */
    private record Begun(Layer definition, SavedModel saved) implements AutoCloseable {
        Trainer trainer(Optimizer optimizer, Loss loss) {
            return saved == null ? Trainer.of(definition, optimizer, loss) : Trainer.of(saved.model(), optimizer, loss);
        }

        @Override
        public void close() {
            if (saved != null) {
                saved.close();
            }
        }
    }

    private Optimizer optimizer() {
        Optimizer chosen = Json.readYaml(stage.valueOf(stage.optimizer()), Optimizer.class, "the parameter optimizer");
        Number rate = stage.numberOf(stage.learningRate());
        if (rate == null) {
            return chosen;
        }
        ObjectNode tree = Json.tree(chosen);
        tree.put("learningRate", rate.doubleValue());
        return Json.convert(tree, Optimizer.class, "the parameter learningRate");
    }
}
