package dev.tutti.train;

import java.util.Optional;

/**
 * What came of one epoch.
 *
 * @param epoch counted from 1, as people do
 * @param steps updates since the beginning of the run
 * @param learningRate the rate of the last step
 * @param training measured while the parameters were changing
 * @param validation measured afterwards on data that was not trained on; empty without such data
 * @param seconds wall time, the validation included
 */
public record EpochResult(
        int epoch,
        long steps,
        double learningRate,
        Evaluation training,
        Optional<Evaluation> validation,
        double seconds) {
    public EpochResult {
        validation = validation == null ? Optional.empty() : validation; // absent in files
    }

    /** What counts: the validation where there is one, otherwise the training. */
    public Evaluation measured() {
        return validation.orElse(training);
    }

    /** The value that counts for early stopping and the like: of the validation where there is one. */
    public double monitored(String name) {
        return measured().get(name);
    }
}
