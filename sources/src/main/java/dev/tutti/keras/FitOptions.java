package dev.tutti.keras;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.train.Launcher;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.replica.Strategy;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What Keras' {@code fit} takes beside the data: {@code options().batchSize(64).epochs(5).validationSplit(0.2)}.
 *
 * @param validationSplit share of the rows, the last ones, that is measured instead of learned; 0 for none
 * @param sampleWeight how much each row counts in the loss, of learned and of measured rows
 * @param classWeight how much rows of a class count in the loss that is learned from, beside their own weight; 1 for classes without one
 */
public record FitOptions(
        int batchSize,
        int epochs,
        double validationSplit,
        Optional<Dataset> validationData,
        boolean shuffle,
        List<Callback> callbacks,
        Launcher cluster,
        Strategy strategy,
        Optional<NdArray> sampleWeight,
        Map<Integer, Double> classWeight) {
    public FitOptions {
        if (batchSize < 1 || epochs < 1 || !(validationSplit >= 0 && validationSplit < 1)) {
            throw new KerasException(
                    "fit: expected a batchSize and epochs of 1 or more and a validationSplit from 0 to 1,"
                            + " received " + batchSize + ", " + epochs + " and " + validationSplit);
        }
        callbacks = List.copyOf(callbacks);
        classWeight = Map.copyOf(classWeight);
    }

    /** Keras' own defaults: batches of 32, one epoch, shuffled. */
    public static FitOptions options() {
        return new FitOptions(
                32,
                1,
                0,
                Optional.empty(),
                true,
                List.of(),
                Launcher.here(),
                Strategy.local(),
                Optional.empty(),
                Map.of());
    }

    public FitOptions batchSize(int rows) {
        return new FitOptions(
                rows,
                epochs,
                validationSplit,
                validationData,
                shuffle,
                callbacks,
                cluster,
                strategy,
                sampleWeight,
                classWeight);
    }

    public FitOptions epochs(int count) {
        return new FitOptions(
                batchSize,
                count,
                validationSplit,
                validationData,
                shuffle,
                callbacks,
                cluster,
                strategy,
                sampleWeight,
                classWeight);
    }

    public FitOptions validationSplit(double share) {
        return new FitOptions(
                batchSize,
                epochs,
                share,
                validationData,
                shuffle,
                callbacks,
                cluster,
                strategy,
                sampleWeight,
                classWeight);
    }

    public FitOptions validationData(Dataset data) {
        return new FitOptions(
                batchSize,
                epochs,
                validationSplit,
                Optional.of(data),
                shuffle,
                callbacks,
                cluster,
                strategy,
                sampleWeight,
                classWeight);
    }

    /** The rows in their own order. */
    public FitOptions unshuffled() {
        return new FitOptions(
                batchSize,
                epochs,
                validationSplit,
                validationData,
                false,
                callbacks,
                cluster,
                strategy,
                sampleWeight,
                classWeight);
    }

    public FitOptions callbacks(Callback... choice) {
        return new FitOptions(
                batchSize,
                epochs,
                validationSplit,
                validationData,
                shuffle,
                List.of(choice),
                cluster,
                strategy,
                sampleWeight,
                classWeight);
    }

    /** Where training runs, and how its members agree: what Keras has a distribution for. */
    public FitOptions on(Launcher place, Strategy choice) {
        return new FitOptions(
                batchSize,
                epochs,
                validationSplit,
                validationData,
                shuffle,
                callbacks,
                place,
                choice,
                sampleWeight,
                classWeight);
    }

    /** How much each row counts in the loss, as many floating numbers of 0 or more as there are rows. The mean is over the rows, as in Keras. */
    public FitOptions sampleWeight(NdArray weights) {
        return new FitOptions(
                batchSize,
                epochs,
                validationSplit,
                validationData,
                shuffle,
                callbacks,
                cluster,
                strategy,
                Optional.of(weights),
                classWeight);
    }

    /** How much rows of a class count in the loss: {@code Map.of(0, 1.0, 1, 5.0)}. */
    public FitOptions classWeight(Map<Integer, Double> weights) {
        return new FitOptions(
                batchSize,
                epochs,
                validationSplit,
                validationData,
                shuffle,
                callbacks,
                cluster,
                strategy,
                sampleWeight,
                weights);
    }
}
