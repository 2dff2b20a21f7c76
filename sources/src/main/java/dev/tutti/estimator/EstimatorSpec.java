package dev.tutti.estimator;

import dev.tutti.loss.Loss;
import dev.tutti.metric.Metric;
import dev.tutti.nn.Layer;
import dev.tutti.optim.Optimizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What a model function returns.
 *
 * @param predictions the layers that answer
 * @param loss needed to train and to evaluate
 * @param trainOperation how parameters are moved; needed to train
 * @param metrics what is measured
 * @param exportOutputs names for the outputs of an exported model
 * @param trainingHooks called while the model trains
 */
public record EstimatorSpec(
        Mode mode,
        Layer predictions,
        Optional<Loss> loss,
        Optional<Optimizer> trainOperation,
        List<Metric> metrics,
        List<String> exportOutputs,
        List<TrainingHook> trainingHooks) {
    public EstimatorSpec {
        Objects.requireNonNull(predictions, "an estimator's spec needs predictions");
        metrics = List.copyOf(metrics);
        exportOutputs = List.copyOf(exportOutputs);
        trainingHooks = List.copyOf(trainingHooks);
    }

    public static EstimatorSpec of(Mode mode, Layer predictions) {
        return new EstimatorSpec(
                mode, predictions, Optional.empty(), Optional.empty(), List.of(), List.of(), List.of());
    }

    public EstimatorSpec loss(Loss choice) {
        return new EstimatorSpec(
                mode, predictions, Optional.of(choice), trainOperation, metrics, exportOutputs, trainingHooks);
    }

    public EstimatorSpec trainOperation(Optimizer choice) {
        return new EstimatorSpec(mode, predictions, loss, Optional.of(choice), metrics, exportOutputs, trainingHooks);
    }

    public EstimatorSpec metrics(Metric... choice) {
        return new EstimatorSpec(
                mode, predictions, loss, trainOperation, List.of(choice), exportOutputs, trainingHooks);
    }

    public EstimatorSpec exportOutputs(String... names) {
        return new EstimatorSpec(mode, predictions, loss, trainOperation, metrics, List.of(names), trainingHooks);
    }

    public EstimatorSpec trainingHooks(TrainingHook... more) {
        List<TrainingHook> all = new ArrayList<>(trainingHooks);
        all.addAll(List.of(more));
        return new EstimatorSpec(mode, predictions, loss, trainOperation, metrics, exportOutputs, all);
    }
}
