package dev.tutti.spark.launch;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;

/**
 * What the driver answers to a {@link RunReport}.
 *
 * @param demand what the chief shall send before the driver's callbacks go on; null when they are done
 * @param stop why training shall end after this step; null to go on
 * @param settings what callbacks have set for all members
 * @param interrupted whether the user wants to go on later
 * @param needsState whether a callback will save a checkpoint after the next step
 * @param error with which a callback has failed; null otherwise
 * @param states what callbacks remember, by their names
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record DriverReply(
        Demand demand,
        String stop,
        List<Setting> settings,
        boolean interrupted,
        boolean needsState,
        String error,
        Map<String, Map<String, Double>> states) {
    /** What the chief can be asked for. */
    enum Demand {
        /** A checkpoint of now. */
        CHECKPOINT,
        /** The parameters as they are. */
        WEIGHTS,
        /** The parameters that are saved: their moving average where there is one. */
        MODEL
    }

    /** A setting for all members; a null value takes it away. */
    record Setting(String key, String value) {}

    static DriverReply demand(Demand demand) {
        return new DriverReply(demand, null, List.of(), false, false, null, Map.of());
    }
}
