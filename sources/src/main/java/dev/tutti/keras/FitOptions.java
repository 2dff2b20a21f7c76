package dev.tutti.keras;

import dev.tutti.data.Dataset;
import dev.tutti.train.Launcher;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.replica.Strategy;
import java.util.List;
import java.util.Optional;

/**
 * What Keras' {@code fit} takes beside the data: {@code options().batchSize(64).epochs(5).validationSplit(0.2)}.
 *
 * @param validationSplit share of the rows, the last ones, that is measured instead of learned; 0 for none
 */
public record FitOptions(
        int batchSize,
        int epochs,
        double validationSplit,
        Optional<Dataset> validationData,
        boolean shuffle,
        List<Callback> callbacks,
        Launcher cluster,
        Strategy strategy) {
    public FitOptions {
        if (batchSize < 1 || epochs < 1 || !(validationSplit >= 0 && validationSplit < 1)) {
            throw new KerasException(
                    "fit: expected a batchSize and epochs of 1 or more and a validationSplit from 0 to 1,"
                            + " received " + batchSize + ", " + epochs + " and " + validationSplit);
        }
        callbacks = List.copyOf(callbacks);
    }

    /** Keras' own defaults: batches of 32, one epoch, shuffled. */
    public static FitOptions options() {
        return new FitOptions(32, 1, 0, Optional.empty(), true, List.of(), Launcher.here(), Strategy.local());
    }

    public FitOptions batchSize(int rows) {
        return new FitOptions(rows, epochs, validationSplit, validationData, shuffle, callbacks, cluster, strategy);
    }

    public FitOptions epochs(int count) {
        return new FitOptions(batchSize, count, validationSplit, validationData, shuffle, callbacks, cluster, strategy);
    }

    public FitOptions validationSplit(double share) {
        return new FitOptions(batchSize, epochs, share, validationData, shuffle, callbacks, cluster, strategy);
    }

    public FitOptions validationData(Dataset data) {
        return new FitOptions(
                batchSize, epochs, validationSplit, Optional.of(data), shuffle, callbacks, cluster, strategy);
    }

    /** The rows in their own order. */
    public FitOptions unshuffled() {
        return new FitOptions(batchSize, epochs, validationSplit, validationData, false, callbacks, cluster, strategy);
    }

    public FitOptions callbacks(Callback... choice) {
        return new FitOptions(
                batchSize, epochs, validationSplit, validationData, shuffle, List.of(choice), cluster, strategy);
    }

    /** Where training runs, and how its members agree: what Keras has a distribution for. */
    public FitOptions on(Launcher place, Strategy choice) {
        return new FitOptions(batchSize, epochs, validationSplit, validationData, shuffle, callbacks, place, choice);
    }
}
