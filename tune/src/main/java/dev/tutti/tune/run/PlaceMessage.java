package dev.tutti.tune.run;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Map;

/**
 * A line that the process of a place writes: it lives, an epoch was measured, or the trial has ended.
 *
 * @param epoch the epoch that was measured; null otherwise
 * @param measured loss and metrics of that epoch
 * @param ending how the trial ended; null while it runs
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record PlaceMessage(Integer epoch, Map<String, Double> measured, TrialEnding ending) {
    /** What a line with a message begins with: anything else that the process writes is passed over. */
    static final String MARK = "@tutti-trial ";

    static PlaceMessage alive() {
        return new PlaceMessage(null, null, null);
    }
}
