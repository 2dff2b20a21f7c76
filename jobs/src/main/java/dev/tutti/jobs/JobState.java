package dev.tutti.jobs;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Where a job is in its life. */
public enum JobState {
    QUEUED,
    RUNNING,
    /** Its process writes a checkpoint and ends, because of a pause or a cancellation. */
    STOPPING,
    PAUSED,
    FINISHED,
    FAILED,
    CANCELLED;

    /** Whether a process works for it. */
    public boolean isActive() {
        return this == RUNNING || this == STOPPING;
    }

    /** Whether it is over; it may be resumed or deleted. */
    public boolean isOver() {
        return this == FINISHED || this == FAILED || this == CANCELLED;
    }

    @JsonCreator
    static JobState named(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    @JsonValue
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
