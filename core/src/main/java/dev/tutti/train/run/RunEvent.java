package dev.tutti.train.run;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.train.EpochResult;

/**
 * A line of the metrics of a run: a step, or the end of an epoch.
 *
 * @param epoch the epoch it belongs to, counted from 1
 * @param step updates done
 * @param loss mean loss of the step
 * @param learningRate the rate of the step
 * @param samples samples seen since the run was started or resumed
 * @param result what came of the epoch that ended; null for a step
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunEvent(int epoch, long step, double loss, double learningRate, long samples, EpochResult result) {
    boolean isEpoch() {
        return result != null;
    }
}
