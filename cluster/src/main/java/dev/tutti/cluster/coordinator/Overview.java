package dev.tutti.cluster.coordinator;

import dev.tutti.cluster.supervision.FailureDetector;
import dev.tutti.comm.Configuration;
import dev.tutti.comm.Report;
import java.util.List;
import java.util.Map;

/**
 * How a job is doing, for people.
 *
 * @param rows rows used so far of each epoch, where members report them
 * @param complaints what did not add up
 */
public record Overview(
        long generation, List<Line> members, Map<Integer, Long> rows, List<String> complaints, Configuration settings) {
    public Overview {
        members = List.copyOf(members);
        rows = Map.copyOf(rows);
        complaints = List.copyOf(complaints);
    }

    /**
     * One who is or was a member.
     *
     * @param silence milliseconds since it was heard of, or since it is gone
     * @param gone why, or null
     * @param rank in the present group, -1 for none
     * @param waiting whether it waits for the others to meet it
     * @param report the last one, or null
     * @param pace seconds for its part of a step, smoothed
     * @param slower how many times as long as the others' that is; 1 when it cannot be said
     */
    public record Line(
            String id,
            String role,
            String host,
            FailureDetector.State state,
            long silence,
            String gone,
            int rank,
            boolean waiting,
            Report report,
            double pace,
            double slower) {}
}
