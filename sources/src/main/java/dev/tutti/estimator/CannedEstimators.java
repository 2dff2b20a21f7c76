package dev.tutti.estimator;

import static dev.tutti.nn.Layers.add;
import static dev.tutti.nn.Layers.concatenate;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.embedding;
import static dev.tutti.nn.Layers.flatten;

import dev.tutti.loss.Losses;
import dev.tutti.metric.Metrics;
import dev.tutti.nn.Graph;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizers;
import dev.tutti.source.column.Columns;
import java.util.ArrayList;
import java.util.List;

/**
 * Estimators for tables, ready to use: linear, deep, or wide and deep. The label of the columns says which kind they are: classes
 * are told apart, a number is estimated. Ids of encoders with an embedding reach the deep part alone.
 */
public final class CannedEstimators {
    private static final int EMBEDDING = 8;

    private CannedEstimators() {}

    /** A linear model: a weight for each number that the columns make. */
    public static Estimator linear(Columns columns, RunConfig config) {
        return Estimator.of((mode, context) -> spec(mode, context, true, new int[0]), config)
                .columns(columns);
    }

    /** Dense layers of these widths. */
    public static Estimator dnn(Columns columns, RunConfig config, int... hiddenUnits) {
        return Estimator.of((mode, context) -> spec(mode, context, false, hiddenUnits), config)
                .columns(columns);
    }

    /** A linear model and dense layers whose answers are added: one remembers combinations, the other generalises. */
    public static Estimator wideAndDeep(Columns columns, RunConfig config, int... hiddenUnits) {
        if (hiddenUnits.length == 0) {
            throw new EstimatorException("wideAndDeep needs the widths of its dense layers");
        }
        return Estimator.of((mode, context) -> spec(mode, context, true, hiddenUnits), config)
                .columns(columns);
    }

    private static EstimatorSpec spec(Mode mode, ModelContext context, boolean wide, int[] hidden) {
        Columns columns = context.columns().orElseThrow();
        boolean classes = !context.classes().isEmpty();
        int outputs = classes ? context.classes().size() : 1;
        EstimatorSpec spec = EstimatorSpec.of(mode, layers(columns, wide, hidden, outputs))
                .loss(classes ? Losses.softmaxCrossEntropy() : Losses.mse())
                .trainOperation(Optimizers.adam(hidden.length == 0 ? 1e-2 : 1e-3))
                .exportOutputs(classes ? "logits" : "value");
        return classes ? spec.metrics(Metrics.accuracy()) : spec.metrics(Metrics.r2(), Metrics.rmse());
    }

    private static Layer layers(Columns columns, boolean wide, int[] hidden, int outputs) {
        boolean ids = columns.embeddingRows() > 0;
        if (!ids && !(wide && hidden.length > 0)) {
            return deep(hidden, outputs);
        }
        boolean numbers = columns.hasNumbers();
        if (wide && !numbers) {
            throw new EstimatorException(
                    "a linear part needs columns that make numbers: all of these have an embedding");
        }
        if (wide && hidden.length == 0) {
            throw new EstimatorException("a linear model cannot use columns with an embedding: make them one-hot");
        }
        Graph graph = numbers && ids
                ? Graph.inputs("numbers", "ids")
                : numbers ? Graph.inputs("numbers") : Graph.inputs("ids");
        String deepInput = "numbers";
        if (ids) {
            graph = graph.add(
                    "embedded", Sequential.of(embedding(columns.embeddingRows(), EMBEDDING), flatten()), "ids");
            graph = numbers ? graph.add("all", concatenate(), "numbers", "embedded") : graph;
            deepInput = numbers ? "all" : "embedded";
        }
        graph = graph.add("deep", deep(hidden, outputs), deepInput);
        return wide
                ? graph.add("wide", dense(outputs), "numbers")
                        .add("answer", add(), "wide", "deep")
                        .outputs("answer")
                : graph.outputs("deep");
    }

    private static Layer deep(int[] hidden, int outputs) {
        List<Layer> layers = new ArrayList<>();
        for (int units : hidden) {
            layers.add(dense(units).relu());
        }
        layers.add(dense(outputs));
        return Sequential.of(layers.toArray(Layer[]::new));
    }
}
