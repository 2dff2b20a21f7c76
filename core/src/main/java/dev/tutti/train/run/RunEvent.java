package dev.tutti.train.run;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.train.EpochResult;
import java.util.Optional;

/**
 * A line of the metrics of a run: a step, or the end of an epoch.
 *
 * @param epoch the epoch it belongs to, counted from 1
 * @param step updates done
 * @param loss mean loss of the step
 * @param learningRate the rate of the step
 * @param samples samples seen since the run was started or resumed
 * @param result what came of the epoch that ended; empty for a step
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record RunEvent(
        int epoch, long step, double loss, double learningRate, long samples, Optional<EpochResult> result) {
    public RunEvent {
        result = result == null ? Optional.empty() : result; // absent in files
    }

    boolean isEpoch() {
        return result.isPresent();
    }
}
