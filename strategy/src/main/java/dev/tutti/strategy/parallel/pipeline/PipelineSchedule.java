package dev.tutti.strategy.parallel.pipeline;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.tutti.DidYouMean;
import java.util.Arrays;

/** The order in which the stages of a pipeline run micro-batches forward and backward. */
public enum PipelineSchedule {
    /** All micro-batches forward, then all backward: simple, and the activations of all of them are held at once. */
    GPIPE("gpipe"),
    /** One forward, one backward: a stage holds the activations of no more micro-batches than there are stages behind it. */
    ONE_F_ONE_B("1f1b"),
    /** The same with several chunks of layers on every stage: more messages, and a bubble that is smaller by their number. */
    INTERLEAVED("interleaved");

    private final String label;

    PipelineSchedule(String label) {
        this.label = label;
    }

    @JsonCreator
    public static PipelineSchedule named(String name) {
        return Arrays.stream(values())
                .filter(schedule -> schedule.label.equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown schedule '" + name + "'"
                        + DidYouMean.hint(
                                name,
                                Arrays.stream(values())
                                        .map(PipelineSchedule::toString)
                                        .toList())));
    }

    @JsonValue
    @Override
    public String toString() {
        return label;
    }
}
