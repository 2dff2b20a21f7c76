package dev.tutti.train.run;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Map;
import java.util.Optional;

/**
 * How a run is doing, as its folder tells it.
 *
 * @param state how it is
 * @param process the process that writes this, as {@code pid@host}
 * @param processStarted when that process started, in milliseconds: a process id may be used again
 * @param started when the run was started or resumed, as a time of ISO 8601
 * @param updated when this was written; rises about every second while the process lives
 * @param epoch the epoch under way, counted from 1; 0 before the first
 * @param epochs how many epochs there are to be
 * @param step updates done
 * @param stepsPerEpoch updates in an epoch; 0 where that is not known
 * @param samples samples seen since the run was started or resumed
 * @param loss mean loss of the last step
 * @param learningRate the rate of the last step
 * @param settings what was set while it runs
 * @param message why it ended early or failed; empty otherwise
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record RunStatus(
        RunState state,
        String process,
        long processStarted,
        String started,
        String updated,
        int epoch,
        int epochs,
        long step,
        long stepsPerEpoch,
        long samples,
        double loss,
        double learningRate,
        Map<String, String> settings,
        Optional<String> message) {
    public RunStatus {
        message = message == null ? Optional.empty() : message; // absent in files
        settings = settings == null ? Map.of() : Map.copyOf(settings);
    }

    RunStatus at(String now) {
        return with(state, now, message);
    }

    RunStatus ended(RunState end, String now, String why) {
        return with(end, now, Optional.ofNullable(why));
    }

    private RunStatus with(RunState newState, String now, Optional<String> newMessage) {
        return new RunStatus(
                newState,
                process,
                processStarted,
                started,
                now,
                epoch,
                epochs,
                step,
                stepsPerEpoch,
                samples,
                loss,
                learningRate,
                settings,
                newMessage);
    }
}
