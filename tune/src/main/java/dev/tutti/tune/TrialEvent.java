package dev.tutti.tune;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/**
 * Something that happened to a trial: a line of the journal. Applied in order to an empty {@link TrialTable} the events give the table.
 *
 * @param what the kind of event
 * @param trial the number of the trial
 * @param values its settings, where it was made or has exchanged them
 * @param epoch the epoch that was measured or exchanged at
 * @param value what was measured
 * @param source the trial whose parameters were taken over
 * @param reason why it failed
 * @param seconds time that a place has spent on it since it was begun
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TrialEvent(
        Kind what,
        int trial,
        Map<String, JsonNode> values,
        Integer epoch,
        Double value,
        Integer source,
        String reason,
        Double seconds) {
    /** What happened. */
    public enum Kind {
        MADE,
        BEGUN,
        MEASURED,
        PAUSED,
        EXCHANGED,
        LOST,
        /** The search ended while a place worked on the trial, which is not held against it. */
        INTERRUPTED,
        FAILED,
        FINISHED
    }

    public static TrialEvent made(int trial, Map<String, JsonNode> values) {
        return new TrialEvent(Kind.MADE, trial, values, null, null, null, null, null);
    }

    public static TrialEvent begun(int trial) {
        return new TrialEvent(Kind.BEGUN, trial, null, null, null, null, null, null);
    }

    public static TrialEvent measured(int trial, int epoch, double value) {
        return new TrialEvent(Kind.MEASURED, trial, null, epoch, value, null, null, null);
    }

    public static TrialEvent paused(int trial, double seconds) {
        return new TrialEvent(Kind.PAUSED, trial, null, null, null, null, null, seconds);
    }

    public static TrialEvent exchanged(int trial, int epoch, Integer source, Map<String, JsonNode> values) {
        return new TrialEvent(Kind.EXCHANGED, trial, values, epoch, null, source, null, null);
    }

    public static TrialEvent lost(int trial) {
        return new TrialEvent(Kind.LOST, trial, null, null, null, null, null, null);
    }

    public static TrialEvent interrupted(int trial) {
        return new TrialEvent(Kind.INTERRUPTED, trial, null, null, null, null, null, null);
    }

    public static TrialEvent failed(int trial, String reason, double seconds) {
        return new TrialEvent(Kind.FAILED, trial, null, null, null, null, reason, seconds);
    }

    public static TrialEvent finished(int trial, double seconds) {
        return new TrialEvent(Kind.FINISHED, trial, null, null, null, null, null, seconds);
    }
}
